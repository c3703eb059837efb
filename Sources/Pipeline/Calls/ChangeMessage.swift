/// The message to other processes that a key has changed, which is published when the change has ended.
struct ChangeMessage: Sendable {
    /// Given the record of the failure, if publishing failed.
    typealias Completion = @Sendable (WriteRecord?) -> Void

    /// Publishes it; returns the record of the failure.
    let publish: @Sendable () async -> WriteRecord?
    /// Called when it is published.
    private(set) var completions: [Completion]

    init(_ publish: @escaping @Sendable () async -> WriteRecord?, completion: @escaping Completion) {
        self.publish = publish
        completions = [completion]
    }

    /// Also stands for `other`, which is not published itself.
    mutating func join(_ other: ChangeMessage) {
        completions += other.completions
    }

    /// Returns the completions, which are not called any more.
    mutating func takeCompletions() -> [Completion] {
        defer { completions = [] }
        return completions
    }
}
