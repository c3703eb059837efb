import NIOCore
import Pipeline

/// The commands of one connection that wait for their replies, in their order, and how long the first of them may go on waiting.
///
/// A pure value: ``CommandHandler`` tells it what happens, each time with the moment, and asks.
struct CommandQueue {
    struct Waiting {
        let waiter: Race<Reply>
        let replyLimit: Int
        let since: Duration
        /// The number of bytes that the connection has taken, up to the last of this command.
        let end: Int
        /// The moment when its caller left.
        var left: Duration?
    }

    /// A verdict on whether the connection can go on.
    enum Verdict: Equatable {
        /// No command waits.
        case idle
        /// The verdict must wait: look again after so long.
        case wait(Duration)
        /// No byte has moved for too long.
        case late
        /// A command that takes the connection has no caller any more, and has had its time.
        case occupied
    }

    /// The longest pause, and the longest time for what has no caller.
    let limit: Duration
    private var waiting = CircularBuffer<Waiting>()
    /// The number of commands that were taken before each waiting one, so that a waiter that leaves is found without a search.
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var firstNumber = 0
    private var taken = 0
    private var sent = 0
    /// The moment when the first command moved last: bytes of it or before it were sent, or anything was received.
    private var progress = Duration.zero
    /// The moment since when the first command is the first.
    private var turn = Duration.zero

    init(limit: Duration) {
        self.limit = limit
    }

    var first: Waiting? { waiting.first }

    /// Takes a command of so many bytes.
    mutating func append(_ waiter: Race<Reply>, replyLimit: Int, bytes: Int, at now: Duration) {
        taken += bytes
        if waiting.isEmpty { turn = now }
        numbers[ObjectIdentifier(waiter)] = firstNumber + waiting.count
        waiting.append(Waiting(waiter: waiter, replyLimit: replyLimit, since: now, end: taken))
    }

    /// Counts so many more bytes that were sent. What is sent behind a command that waits for its reply says nothing about that.
    mutating func send(_ bytes: Int, at now: Duration) {
        if let first = waiting.first, sent < first.end { progress = now }
        sent += bytes
    }

    /// Notes that something came from the server.
    mutating func receive(at now: Duration) {
        progress = now
    }

    /// Takes out a caller that no longer waits for this reply.
    mutating func leave(_ waiter: Race<Reply>, at now: Duration) {
        guard let number = numbers[ObjectIdentifier(waiter)] else { return }
        waiting[waiting.index(waiting.startIndex, offsetBy: number - firstNumber)].left = now
    }

    /// The command that the next reply is for.
    mutating func popFirst() -> Waiting? {
        turn = progress
        guard let first = waiting.popFirst() else { return nil }
        numbers[ObjectIdentifier(first.waiter)] = nil
        firstNumber += 1
        return first
    }

    /// Takes all of them out.
    mutating func removeAll() -> [Race<Reply>] {
        defer {
            firstNumber += waiting.count
            waiting.removeAll()
            numbers = [:]
        }
        return waiting.map(\.waiter)
    }

    func verdict(at now: Duration) -> Verdict {
        guard let first = waiting.first else { return .idle }
        let pause = max(first.since, progress) + limit - now
        guard pause > .zero else { return .late }
        guard let left = first.left else { return .wait(pause) }
        let rest = max(left, turn) + limit - now
        return rest > .zero ? .wait(min(pause, rest)) : .occupied
    }
}
