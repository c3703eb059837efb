import Synchronization

/// A fetch that waits for a load. An object, so that ten thousand of them hold little more than a reference each: what only a load needs is
/// made when one starts.
@usableFromInline
final class Waiter: Sendable {
    /// Resumed once: by what takes it out of its flight, under the lock of the flights.
    typealias Continuation = UnsafeContinuation<SharedReply, any Error>

    /// What is known of a fetch that few have.
    private struct Known {
        let call: Call
        let trail: Trail
        let standing: Standing
        let progress: LoadProgress.Observer?

        /// What is known of the fetch for a load that begins now.
        var anew: Known { Known(call: call, trail: trail.unasked, standing: Standing(), progress: progress) }
    }

    let id: Call.ID
    /// Unique among the waiters of its flights.
    let number: UInt64
    /// When the fetch began.
    let start: Timestamp
    /// When it began to wait for this flight.
    let begin: Timestamp
    let deadline: Timestamp?
    private let ownPriority: Priority
    /// What its priority changes with; nil for one that stays as it is.
    private let following: LoadPriority?
    /// How many loads had ended when memory had nothing; nil where it was not asked.
    private let endedAtMiss: UInt64?
    /// What is known, where that is more than what is said here.
    private let known: Boxed<Known>
    /// Whether its task was cancelled while it waited, or before.
    private let cancellation = Atomic(false)
    /// The nanoseconds of ``joined``, negative without any.
    private let joinedNanoseconds = Atomic<Int64>(-1)

    /// A fetch that asks for no more than this, and of which no more is known than that memory has nothing.
    ///
    /// - Parameter endedAtMiss: how many loads had ended when memory was asked; nil where it was not.
    init(
        _ id: consuming Call.ID, _ number: UInt64, since start: Timestamp, until deadline: Timestamp?, priority: Priority,
        endedAtMiss: UInt64?
    ) {
        (self.id, self.number, self.start, begin) = (id, number, start, start)
        (self.deadline, ownPriority, following, self.endedAtMiss, known) = (deadline, priority, nil, endedAtMiss, .none)
    }

    /// A fetch that asks for this. With a `priority`, its own changes with that.
    ///
    /// - Parameters:
    ///   - id: what makes it the same as others here.
    ///   - progress: receives how much of an answer has come; nil where the fetch does not want to know.
    init(
        _ id: Call.ID, _ number: UInt64, for call: Call, _ trail: Trail, _ standing: Standing, since start: Timestamp,
        following priority: LoadPriority? = nil, progress: LoadProgress.Observer? = nil
    ) {
        (self.id, self.number, self.start, begin) = (id, number, start, start)
        (deadline, ownPriority, following) = (call.deadline, call.priority, priority)
        (endedAtMiss, known) = (nil, .some(Known(call: call, trail: trail, standing: standing, progress: progress)))
    }

    /// The fetch of `waiter` once more, of which nothing is known any more.
    private init(again waiter: Waiter, _ number: UInt64, at now: Timestamp) {
        (id, self.number, start, begin) = (waiter.id, number, waiter.start, now)
        (deadline, ownPriority, following, endedAtMiss) = (waiter.deadline, waiter.ownPriority, waiter.following, nil)
        known = if case .some(let known) = waiter.known { .some(known.anew) } else { .none }
    }

    /// The flight of `flights` that was begun for this fetch; nil where it joins one.
    func flight(in flights: Flights) -> UInt64? {
        guard case .some(let known) = known, let flight = known.standing.flight, flight.flights === flights else { return nil }
        return flight.number
    }

    /// Receives how much of an answer has come; nil where the fetch does not want to know.
    var progress: LoadProgress.Observer? { if case .some(let known) = known { known.progress } else { nil } }

    /// Its place among keys that are fetched together; nil for a key alone.
    var member: Gathering.Member? { if case .some(let known) = known { known.call.member } else { nil } }

    /// What a load that starts now has to do.
    var request: (Call, Trail, Standing) {
        if case .some(let known) = known { return (known.call, known.trail, known.standing) }
        var trail = Trail()
        trail.looked = endedAtMiss.map { .missing(ended: $0) }
        return (Call(id, deadline: deadline, priority: ownPriority), trail, Standing())
    }

    /// Its task was cancelled. Call it before the flights are asked for the waiter: either it is in one, or it sees this once it comes into
    /// one. Their lock orders both.
    func noteCancellation() { cancellation.store(true, ordering: .relaxed) }

    /// Whether its task was cancelled before it came into a flight, or since.
    var isCancelled: Bool { cancellation.load(ordering: .relaxed) }

    /// Its priority now.
    var priority: Priority { following?.current ?? ownPriority }

    /// Notes when the load began that it joined; nil while that is read on its caller's thread.
    func noteJoined(_ began: Timestamp?) {
        if let began { joinedNanoseconds.store(max(.zero, begin.duration(since: began)).saturatedNanoseconds, ordering: .relaxed) }
    }

    /// For how long a load had run when this joined it; nil for one of its own. Ask after the reply: both happen in the task that waits.
    var joined: Duration? {
        let nanoseconds = joinedNanoseconds.load(ordering: .relaxed)
        return nanoseconds < 0 ? nil : .nanoseconds(nanoseconds)
    }

    /// The waiter for a new load, when one ended before its deadline; nil where it has no time for another.
    func again(_ number: UInt64, at now: Timestamp) -> Waiter? {
        now > begin && deadline.map { now < $0 } ?? true ? Waiter(again: self, number, at: now) : nil
    }
}
