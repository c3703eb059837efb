@testable import PipelineLive

@testable import Pipeline

extension Snapshot {
    /// A snapshot of `friends` made by hand: its value is `text`, and its elements are those of `elements`.
    static func made(
        _ revision: UInt64, _ text: String?, elements: [String: String] = [:], changes: ListChanges = .reset, isLoading: Bool = false,
        error: LoadError? = nil
    ) -> Snapshot {
        var status = LiveStatus()
        status.isLoading = isLoading
        status.error = error
        let entry = text.map { Entry(Array($0.utf8), created: Timestamp(nanoseconds: 0)) }
        let value = SnapshotValue(joining: { entry }, finding: { id in elements[id].map { Array($0.utf8) } })
        return Snapshot(SharedSnapshot(Key(pipeline: "friends"), revision: revision, value, status: status), changes: changes)
    }
}

extension LoadError {
    /// An origin failed.
    static let made = LoadError(key: Key(pipeline: "friends"), kind: .everyTierFailed, attempts: [Attempt("api", .error)])
}
