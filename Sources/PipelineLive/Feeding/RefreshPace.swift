import Pipeline
/// When a value may be loaded again because changes ask for it: at most once a second, and more rarely while that brings nothing new, down to
/// once in 30 s.
struct RefreshPace: Sendable {
    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(30)

    private var interval = Self.shortest
    private var last: Timestamp?
    private var isRunning = false
    private var isWanted = false

    /// What to do next.
    enum Step: Sendable, Equatable {
        /// Nothing: a load runs, or one is arranged.
        case none
        case load
        /// Ask again at this moment with ``RefreshPace/wake(at:)``.
        case wait(until: Timestamp)
    }

    /// A change asks for a load.
    mutating func want(at now: Timestamp) -> Step {
        if isWanted { return .none }
        isWanted = true
        return isRunning ? .none : next(at: now)
    }

    /// The wait is over.
    mutating func wake(at now: Timestamp) -> Step { isWanted && !isRunning ? next(at: now) : .none }

    /// The load ended.
    mutating func end(bringingNews hasNews: Bool, at now: Timestamp) -> Step {
        isRunning = false
        interval = hasNews ? Self.shortest : min(interval * 2, Self.longest)
        return isWanted ? next(at: now) : .none
    }

    private mutating func next(at now: Timestamp) -> Step {
        if let last, now < last + interval { return .wait(until: last + interval) }
        (last, isRunning, isWanted) = (now, true, false)
        return .load
    }
}
