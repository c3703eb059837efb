import Pipeline
import PipelineLive

/// The state of one connection to the server: a state machine, whose answers are carried out by ``Link``.
struct LinkState {
    typealias Waiter = Race<Connection>

    enum Phase {
        /// No connection, and nothing known against connecting.
        case idle
        case connecting
        case open(Connection)
        /// The last attempt failed: no other attempt starts before then.
        case down(SourceError, until: Duration)
        case closed
    }

    /// The step of a caller that needs the connection.
    enum Step {
        case use(Connection)
        case fail(SourceError)
        case wait(Waiter)
        /// Connects, for itself and for those who come meanwhile.
        case connect(Waiter, attempt: Int)
    }

    private(set) var phase = Phase.idle
    private var waiters: [Waiter] = []
    /// Counts connections, so that the end of an old one is not taken for its successor's.
    private var attempt = 0
    private var random: RandomGenerator
    private var backoff = Backoff(RedisSettings.reconnecting)
    /// The moment when the connection was opened.
    private var openedAt = Duration.zero
    /// The time for which the last connection was open, until an attempt fails.
    private var wellFor: Duration?
    /// The reason why the attempt that runs is not the first; those who come meanwhile do not wait for it.
    private var known: SourceError?
    /// The error with which the connection that is being opened ended before it was in use.
    private var early: SourceError?

    /// - Parameter random: decides how long the pauses are.
    init(random: RandomGenerator = .system) {
        self.random = random
    }

    /// The step of a caller that needs the connection at `now`, a monotonic time.
    mutating func ask(at now: Duration) -> Step {
        switch phase {
        case .open(let connection): return .use(connection)
        case .closed: return .fail(SourceError("the source is closed"))
        case .down(let error, let until) where now < until: return .fail(error)
        case .connecting:
            if let known { return .fail(known) }
            let waiter = Waiter()
            waiters.append(waiter)
            return .wait(waiter)
        case .idle, .down:
            if case .down(let error, _) = phase { known = error }
            let waiter = Waiter()
            waiters = [waiter]
            phase = .connecting
            early = nil
            attempt += 1
            return .connect(waiter, attempt: attempt)
        }
    }

    /// Takes the result of an attempt and returns it with its waiters; `isKept` is false when the connection is no longer wanted.
    mutating func finish(
        _ result: Result<Connection, SourceError>, at now: Duration
    ) -> (result: Result<Connection, SourceError>, waiters: [Waiter], isKept: Bool) {
        guard case .connecting = phase else { return (result, [], false) }
        var result = result
        if let early, case .success = result { result = .failure(early) }
        switch result {
        case .success(let connection):
            phase = .open(connection)
            openedAt = now
            known = nil
        case .failure(let error): phase = .down(error, until: now + pause())
        }
        return (result, takeWaiters(), true)
    }

    /// Takes that a connection ended with `error`.
    mutating func end(attempt: Int, with error: SourceError, at now: Duration) {
        guard attempt == self.attempt else { return }
        switch phase {
        case .connecting: early = error
        // One that does not answer is not asked again at once; one that hung up may well be there.
        case .open:
            wellFor = now - openedAt
            phase = error.kind == .timeout ? .down(error, until: now + pause()) : .idle
        case .idle, .down, .closed: break
        }
    }

    /// Ends all use; gives what must be closed, and the waiters.
    mutating func close() -> (connection: Connection?, waiters: [Waiter]) {
        defer { phase = .closed }
        guard case .open(let connection) = phase else { return (nil, takeWaiters()) }
        return (connection, takeWaiters())
    }

    private mutating func pause() -> Duration {
        backoff.pause(afterBeingWellFor: wellFor.take(), random: &random)
    }

    private mutating func takeWaiters() -> [Waiter] {
        defer { waiters = [] }
        return waiters
    }
}
