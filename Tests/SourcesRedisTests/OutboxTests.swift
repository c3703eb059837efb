import Pipeline
import Testing

@testable import SourcesRedis

@Suite struct OutboxTests {
    @Test func `what has come is taken once, in its order`() {
        let outbox = Outbox()
        let requests = (0..<3).map { Request(command: Command("GET", .text("\($0)")), waiter: Race()) }

        for request in requests { outbox.add(request) }

        #expect(outbox.takeAll().map { ObjectIdentifier($0.waiter) } == requests.map { ObjectIdentifier($0.waiter) })
        #expect(outbox.takeAll().isEmpty)
    }
}
