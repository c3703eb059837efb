import Synchronization

/// How many loads one fetch has asked for, those of composites within composites included.
final class LoadCount: Sendable {
    /// The most loads of one fetch.
    static let most = 10_000

    private let value = Atomic(0)

    /// Counts further loads. Throws when they are too many.
    func add(_ loads: Int) throws(SourceError) {
        let count = value.add(loads, ordering: .relaxed).newValue
        if count > Self.most { throw SourceError(invalid: "\(count) loads, and no more than \(Self.most) are allowed for one fetch") }
    }
}
