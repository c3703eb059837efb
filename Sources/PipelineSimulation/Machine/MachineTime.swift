internal import Pipeline
private import Synchronization

/// The time of one ``Machine``, as a clock for the parts of the engine that it uses.
final class MachineTime: Sendable {
    /// The moment of the first request, on the time line of copies, which is the engine's virtual clock.
    static let start: Int64 = 1_767_225_600_000_000_000

    /// The last moment, also of the engine's virtual clock: later ones come then.
    static let end = Int64.max - start

    private let elapsed = Atomic<Int64>(0)

    /// Nanoseconds since the first request.
    var now: Int64 {
        get { elapsed.load(ordering: .relaxed) }
        set { elapsed.store(newValue, ordering: .relaxed) }
    }

    /// The moment so many nanoseconds from now.
    func after(_ nanoseconds: Int64) -> Int64 { min(Self.end, now.addingSaturated(nanoseconds)) }

    /// A clock that shows this time. Nothing sleeps by it.
    var clock: PipelineClock {
        PipelineClock(
            wall: { Timestamp(nanoseconds: Self.start + self.now) }, monotonic: { .nanoseconds(self.now) },
            sleep: { _ in throw CancellationError() })
    }
}
