import Synchronization

/// The progress of an answer that comes.
public struct LoadProgress: Sendable, Hashable {
    /// The source that answers.
    public let source: String
    /// The bytes that have come.
    public let received: Int
    /// The bytes of the complete answer; nil if the source does not know.
    public let total: Int?

    /// Receives it, on the thread of the source. It delays the load, so it must not wait.
    @usableFromInline package typealias Observer = @Sendable (LoadProgress) -> Void
}

/// Lets a source report each part that comes, and passes at most ten reports a second on to the callers.
final class ProgressPace: Sendable {
    private static let pause: Int64 = 100_000_000

    private let clock: PipelineClock
    private let next = Atomic(Int64.min)

    init(clock: PipelineClock) {
        self.clock = clock
    }

    /// Whether it is time for another report.
    func isDue() -> Bool {
        let now = clock.now.nanoseconds
        guard now >= next.load(ordering: .relaxed) else { return false }
        next.store(now.addingSaturated(Self.pause), ordering: .relaxed)
        return true
    }
}
