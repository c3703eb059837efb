import Testing

@testable import SourcesRedis

@Suite struct BacklogTests {
    @Test func `what is one too many is not taken, and is when something has been sent`() {
        let backlog = Backlog()
        #expect(backlog.add(Backlog.most - 10_000))

        #expect(!backlog.add(20_000))
        #expect(backlog.bytes == Backlog.most - 10_000)
        backlog.remove(10_000)
        #expect(backlog.add(20_000))
    }

    @Test func `what comes alone is taken, however large`() {
        let backlog = Backlog()

        #expect(backlog.add(Backlog.most + 1_000))
        #expect(!backlog.add(5_000))
    }

    @Test func `small commands are taken a while longer, and not for ever`() {
        let backlog = Backlog()
        #expect(backlog.add(Backlog.most))

        #expect(!backlog.add(4_097))
        let count = (0..<10_000).prefix { _ in backlog.add(4_096) }.count

        #expect(count == (8 << 20) / 4_096)
    }
}
