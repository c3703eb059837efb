import Pipeline
import Testing

@testable import SourcesRedis

@Suite struct OutboxTests {
    private func request(_ name: String) -> Request { Request(command: Command("GET", .text(name)), waiter: .init()) }

    @Test func `only the first that comes has the event loop told, and all are taken in their order`() {
        let outbox = Outbox()
        let requests = (0..<3).map { request("\($0)") }

        #expect(requests.map(outbox.add) == [true, false, false])
        #expect(outbox.takeAll().map { ObjectIdentifier($0.waiter) } == requests.map { ObjectIdentifier($0.waiter) })
        #expect(outbox.takeAll().isEmpty)
        #expect(outbox.add(request("later")))
    }
}
