import Foundation
import NIOCore
import NIOEmbedded
import Pipeline
import PipelineServer
import PipelineTesting
import Synchronization
import Testing

@testable import PipeRunKit

@Suite struct ListenerGateTests {
    /// Counts how often the socket would be read, and so a connection accepted.
    private final class Reads: ChannelOutboundHandler, Sendable {
        typealias OutboundIn = Never
        private let counted = Mutex(0)

        var count: Int { counted.withLock { $0 } }

        func read(context: ChannelHandlerContext) { counted.withLock { $0 += 1 } }
    }

    private final class Said: Sendable {
        private let texts = Mutex<[String]>([])

        var all: [String] { texts.withLock { $0 } }

        func say(_ text: String) { texts.withLock { $0.append(text) } }
    }

    @Test func `without descriptors nothing is accepted for a second, and people are told once a minute`() async throws {
        let time = ManualClock()
        let (reads, said) = (Reads(), Said())
        let gate = ListenerGate(to: ConnectionTable(limit: 10), ServerLimits(connections: 10), clock: time.clock) { said.say($0) }
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([reads, gate])
        channel.read()
        #expect(reads.count == 1)

        for round in 1...3 {
            channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
            channel.read()
            channel.read()
            #expect(reads.count == round, "nothing is accepted while there is nothing to accept it with")
            time.advance(by: .seconds(1))
            #expect(reads.count == round + 1)
        }
        #expect(said.all.count == 1 && said.all.allSatisfy { $0.hasPrefix("cannot accept connections: ") }, "\(said.all)")

        time.advance(by: .seconds(60))
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ENFILE, reason: "accept"))
        #expect(said.all.count == 2)
    }

    @Test func `with as many connections as there may be nothing is accepted until one ends`() throws {
        let (reads, said) = (Reads(), Said())
        let table = ConnectionTable(limit: 2)
        let gate = ListenerGate(to: table, ServerLimits(connections: 2), clock: ManualClock().clock) { said.say($0) }
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([reads, gate])
        table.whenRoom { gate.open(channel) }
        let clients = [EmbeddedChannel(), EmbeddedChannel()]

        channel.pipeline.fireChannelRead(clients[0] as any Channel)
        channel.read()
        #expect(reads.count == 1)
        channel.pipeline.fireChannelRead(clients[1] as any Channel)
        channel.read()
        #expect(reads.count == 1)
        #expect(said.all.count == 1 && said.all.allSatisfy { $0.hasPrefix("2 connections have a request under way") }, "\(said.all)")

        clients[0].close(promise: nil)
        clients[0].embeddedEventLoop.run()
        #expect(reads.count == 2)
    }
}
