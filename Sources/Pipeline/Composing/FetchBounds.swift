import Synchronization

/// What bounds all loads of one fetch together, those of composites within composites included.
final class FetchBounds: Sendable {
    /// The most loads of one fetch.
    static let mostLoads = 10_000
    /// The most calls of origins at the same time, unless a composite says otherwise.
    static let usualCalls = 16

    /// The calls of origins at the same time.
    let calls: CallPermits
    private let loads = Atomic(0)

    /// - Parameter concurrency: the most calls of origins at the same time.
    init(concurrency: Int = usualCalls) { calls = CallPermits(concurrency) }

    /// Counts further loads. Throws when they are too many.
    func add(_ loads: Int) throws(SourceError) {
        let count = self.loads.add(loads, ordering: .relaxed).newValue
        if count > Self.mostLoads {
            throw SourceError("\(count) loads, and no more than \(Self.mostLoads) are allowed for one fetch", kind: .invalid)
        }
    }
}
