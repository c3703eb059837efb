import Foundation
import PipelineTesting
import Testing

@testable import PipeRunKit

@Suite struct LineQueueTests {
    /// A reader that takes nothing until it is let.
    private final class Reader: @unchecked Sendable {  // `condition` guards all.
        private let condition = NSCondition()
        private var texts: [String] = []
        private var isHeld = true

        func take(_ text: String) {
            condition.lock()
            texts.append(text)
            while isHeld { condition.wait() }
            condition.unlock()
        }

        func release() {
            condition.withLock {
                isHeld = false
                condition.broadcast()
            }
        }

        var taken: [String] { condition.withLock { texts } }
    }

    @Test func `nobody waits for a reader that takes nothing, and what is over the bound is counted`() async throws {
        let reader = Reader()
        let lines = LineQueue(limit: 10, dropped: { "\($0) dropped\n" }, write: reader.take)
        lines.add("first\n")
        try await until("the first line") { reader.taken == ["first\n"] }

        for line in ["aaaa\n", "bbbb\n", "c\n", "d\n"] { lines.add(line) }
        let clock = ManualClock()
        async let isWritten = lines.finish(within: .seconds(1), clock: clock.clock)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        #expect(await !isWritten)
        #expect(reader.taken == ["first\n"])

        reader.release()
        #expect(await lines.finish(within: .seconds(60)))
        #expect(reader.taken == ["first\n", "aaaa\nbbbb\n2 dropped\n"])
        lines.add("later\n")
        #expect(await lines.finish(within: .seconds(60)))
        #expect(reader.taken.last == "later\n")
    }

    @Test func `a line over the bound is dropped, and that is said at once`() async {
        let reader = Reader()
        reader.release()
        let lines = LineQueue(limit: 3, dropped: { "\($0) dropped\n" }, write: reader.take)

        lines.add("long\n")

        #expect(await lines.finish(within: .seconds(60)))
        #expect(reader.taken == ["1 dropped\n"])
        #expect(await lines.finish(within: .zero))
    }
}
