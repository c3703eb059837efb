import Pipeline
import Testing

@testable import SourcesRedis

@Suite struct CommandQueueTests {
    private let waiters = (0..<3).map { _ in Race<Reply>() }

    private func seconds(_ number: Int) -> Duration { .seconds(number) }

    /// A queue with a limit of 10 s, and commands of these sizes, all taken at 0 s.
    private func queue(_ sizes: Int...) -> CommandQueue {
        var queue = CommandQueue(limit: seconds(10))
        for (waiter, size) in zip(waiters, sizes) { queue.append(waiter, replyLimit: 100, bytes: size, at: .zero) }
        return queue
    }

    @Test func `a command for which nothing moves is late when the limit is over`() {
        let queue = queue(100)

        #expect(queue.verdict(at: seconds(9)) == .wait(seconds(1)))
        #expect(queue.verdict(at: seconds(10)) == .late)
    }

    @Test func `nothing is late where nothing waits`() {
        var queue = queue(100)
        #expect(queue.popFirst()?.waiter === waiters[0])

        #expect(queue.verdict(at: seconds(1_000)) == .idle)
        #expect(queue.popFirst() == nil)
    }

    @Test func `each part that is sent, and each that comes, begins the limit anew`() {
        var queue = queue(100)

        queue.send(40, at: seconds(9))
        #expect(queue.verdict(at: seconds(18)) == .wait(seconds(1)))
        queue.send(60, at: seconds(18))
        #expect(queue.verdict(at: seconds(27)) == .wait(seconds(1)))
        queue.receive(at: seconds(27))
        #expect(queue.verdict(at: seconds(36)) == .wait(seconds(1)))
        #expect(queue.verdict(at: seconds(37)) == .late)
    }

    @Test func `what is sent behind a command that waits for its reply does not help it`() {
        var queue = queue(100, 1_000)

        queue.send(100, at: seconds(1))
        queue.send(500, at: seconds(9))

        #expect(queue.verdict(at: seconds(11)) == .late)
    }

    @Test func `a command has the whole limit from when it came, and from when the one before it was answered`() {
        var queue = queue(100)
        queue.append(waiters[1], replyLimit: 100, bytes: 100, at: seconds(5))
        queue.send(200, at: seconds(6))

        queue.receive(at: seconds(9))
        _ = queue.popFirst()

        #expect(queue.first?.waiter === waiters[1])
        #expect(queue.verdict(at: seconds(18)) == .wait(seconds(1)))
        #expect(queue.verdict(at: seconds(19)) == .late)
        _ = queue.popFirst()
        queue.append(waiters[2], replyLimit: 100, bytes: 1, at: seconds(50))
        #expect(queue.verdict(at: seconds(59)) == .wait(seconds(1)))
    }

    @Test func `what has no waiter has the limit as a whole, however much moves`() {
        var queue = queue(1_000, 100)
        for second in 1...12 { queue.send(10, at: seconds(second)) }

        queue.leave(waiters[0], at: seconds(12))
        for second in 13...21 { queue.send(10, at: seconds(second)) }

        #expect(queue.verdict(at: seconds(21)) == .wait(seconds(1)))
        queue.send(10, at: seconds(22))
        #expect(queue.verdict(at: seconds(22)) == .occupied)
    }

    @Test func `one whose caller left before its turn has the limit from its turn on`() {
        var queue = queue(100, 100)
        queue.send(100, at: seconds(1))
        queue.leave(waiters[1], at: seconds(2))
        queue.leave(Race<Reply>(), at: seconds(2))
        for second in 3...30 { queue.receive(at: seconds(second)) }

        _ = queue.popFirst()
        for second in 31...39 { queue.receive(at: seconds(second)) }

        #expect(queue.verdict(at: seconds(39)) == .wait(seconds(1)))
        #expect(queue.verdict(at: seconds(40)) == .occupied)
    }

    @Test func `who leaves is found, however many were answered and wait`() {
        var queue = CommandQueue(limit: seconds(10))
        let many = (0..<10_000).map { _ in Race<Reply>() }
        for waiter in many { queue.append(waiter, replyLimit: 100, bytes: 1, at: .zero) }
        queue.send(10_000, at: .zero)
        for _ in 0..<5_000 { _ = queue.popFirst() }
        queue.leave(many[4_999], at: seconds(1))
        queue.leave(many[5_000], at: seconds(2))
        for second in 3...30 { queue.receive(at: seconds(second)) }

        #expect(queue.first?.waiter === many[5_000])
        #expect(queue.verdict(at: seconds(30)) == .occupied)
        _ = queue.popFirst()
        #expect(queue.verdict(at: seconds(30)) == .wait(seconds(10)))
    }

    @Test(.timeLimit(.minutes(15))) func `a hundred thousand who leave take no time that grows with each`() {
        var queue = CommandQueue(limit: seconds(10))
        let many = (0..<100_000).map { _ in Race<Reply>() }
        for waiter in many { queue.append(waiter, replyLimit: 100, bytes: 1, at: .zero) }

        // From the last: one after the other, each would be looked for behind all the others, five thousand million steps.
        for waiter in many.reversed() { queue.leave(waiter, at: seconds(1)) }

        #expect(queue.first?.left == seconds(1))
        #expect(queue.removeAll().count == many.count)
        #expect(queue.verdict(at: seconds(1)) == .idle)
    }
}
