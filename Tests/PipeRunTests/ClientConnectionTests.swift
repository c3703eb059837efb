import NIOCore
import NIOEmbedded
import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import Testing

@testable import PipeRunKit
@testable import PipelineServer

/// What a client gets for what it sends in one write, on a time of its own.
@Suite(.timeLimit(.minutes(15))) struct ClientConnectionTests {
    private let time = ManualClock()

    private static let hit = "GET /friends?user=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private static let problem = "GET /friends HTTP/1.1\r\n\r\n"
    private static let body = "POST /friends HTTP/1.1\r\nHost: localhost\r\n"
    private static let halfHead = "GET /friends?user=1 HTTP/1.1\r\nHo"

    /// A connection to a server whose pipeline `friends` answers each user.
    private func connection(in table: ConnectionTable = ConnectionTable(limit: 10)) async throws -> NIOAsyncTestingChannel {
        let plugin = SourcePlugin(origin: "stub", summary: "", capabilities: [.neverMisses]) { [time] _ in
            StubOrigin(clock: time.clock, answering: .value("[1]"))
        }
        let text = "sources: { api: { type: stub } }\npipelines: { friends: { parameters: [user], tiers: [api] } }"
        let report = ConfigFile(text: Array(text.utf8), name: "x.yaml").report(plugins: [plugin], environment: ConfigEnvironment([:]))
        let responder = PipelineResponder(
            ServedPipelines(try Pipelines(report, clock: time.clock)), version: "1", metrics: PrometheusRegistry())
        var service = ClientService(
            responder: responder, limits: ServerLimits(connections: 10), hosts: HostRule(listeningOn: "127.0.0.1", allowing: []),
            log: RequestLog(nil, masking: Redactor(), factory: PrometheusRegistry()))
        service.clock = time.clock
        let channel = NIOAsyncTestingChannel()
        try await channel.testingEventLoop.executeInContext { [service] in
            try HTTPServer.prepare(channel, service: service, table: table)
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).get()
        return channel
    }

    /// The statuses of the next answers.
    private func statuses(_ count: Int, on channel: NIOAsyncTestingChannel) async throws -> [Int] {
        var text = ""
        for _ in 0..<count { text += String(buffer: try await channel.waitForOutboundWrite(as: ByteBuffer.self)) }
        // What follows from the last piece happens in the same turn of the loop.
        await channel.testingEventLoop.run()
        return text.matches(of: /HTTP\/1\.1 (\d+)/).compactMap { Int($0.1) }
    }

    @Test(
        arguments: [
            (hit + hit + hit + hit + hit + body + "Content-Length: 9\r\n\r\nabc", [200, 200, 200, 200, 200, 405]),
            (hit + body + "Content-Length: 9\r\n\r\n", [200, 405]),
            (hit + hit + body + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc", [200, 200, 405]),
            (hit + hit + body + "Transfer-Encoding: chunked\r\n\r\nno chunk", [200, 200, 400]),
            (body + "Content-Length: 3\r\n\r\nabc" + hit + hit, [405, 200, 200]),
            (body + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + hit, [405, 200]),
            (hit + hit + problem + hit, [200, 200, 400]), (hit + "nonsense\r\n\r\n", [200, 400]),
            (String(repeating: hit, count: 40), Array(repeating: 200, count: 40)),
        ] as [(String, [Int])])
    func `every whole request is answered in its turn, whatever comes behind it`(text: String, expected: [Int]) async throws {
        let channel = try await connection()

        try await channel.writeInbound(ByteBuffer(string: text))

        #expect(try await statuses(expected.count, on: channel) == expected)
    }

    @Test(arguments: ["", halfHead, body + "Content-Length: 9\r\n\r\nabc"])
    func `a client that closes its sending side gets what it asked for`(rest: String) async throws {
        let channel = try await connection()
        try await channel.testingEventLoop.executeInContext {
            channel.pipeline.fireChannelRead(ByteBuffer(string: String(repeating: Self.hit, count: 20) + rest))
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }

        let isAsked = rest.hasPrefix(Self.body)
        let expected = Array(repeating: 200, count: 20) + (isAsked ? [405] : [])
        #expect(try await statuses(expected.count, on: channel) == expected)
        try await channel.closeFuture.get()
    }

    @Test(
        arguments: [
            hit + halfHead, hit + "G", hit + "\r\n\r\n" + halfHead, body + "Content-Length: 3\r\n\r\nabc" + halfHead,
            body + "Content-Length: 4\r\n\r\n\r\n\r\n" + halfHead,
            body + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + halfHead, hit.replacing("\r", with: "") + halfHead,
        ], [nil, 2, 3, 20])
    func `the time of a half head counts, whatever came with it`(text: String, cut: Int?) async throws {
        let channel = try await connection()
        // In one read, and in two before the answer.
        let split = cut.map { text.utf8.count - Self.halfHead.utf8.count - $0 }.map { max(1, $0) } ?? text.utf8.count
        let reads = [text.utf8.prefix(split), text.utf8.dropFirst(split)].filter { !$0.isEmpty }.map { ByteBuffer(bytes: Array($0)) }
        try await channel.testingEventLoop.executeInContext {
            for bytes in reads { channel.pipeline.fireChannelRead(bytes) }
        }
        _ = try await statuses(1, on: channel)

        time.advance(by: .seconds(10))

        #expect(try await statuses(1, on: channel) == [408])
    }

    @Test func `empty lines behind a request begin no other`() async throws {
        let channel = try await connection()
        try await channel.writeInbound(ByteBuffer(string: Self.hit + "\r\n\r\n"))
        #expect(try await statuses(1, on: channel) == [200])

        time.advance(by: .seconds(10))
        try await channel.writeInbound(ByteBuffer(string: Self.hit))

        #expect(try await statuses(1, on: channel) == [200])
    }

    @Test func `a client whose request is on its way keeps its place, and has its answer`() async throws {
        let table = ConnectionTable(limit: 1)
        let channel = try await connection(in: table)
        let end = time.clock.now + .milliseconds(100)

        #expect(table.accept(at: time.clock.now) == .full(until: end))
        time.advance(by: .milliseconds(99))
        #expect(table.makeRoom(at: time.clock.now) == .full(until: end))
        try await channel.writeInbound(ByteBuffer(string: Self.hit))

        #expect(try await statuses(1, on: channel) == [200])
    }

    @Test func `a client that says nothing is sent away for one that waits`() async throws {
        let table = ConnectionTable(limit: 1)
        let channel = try await connection(in: table)
        let gate = ListenerGate(to: table, ServerLimits(connections: 1), clock: time.clock) { _ in }
        let listener = NIOAsyncTestingChannel()
        table.whenRoom { gate.open(listener) }
        try await listener.testingEventLoop.executeInContext {
            try listener.pipeline.syncOperations.addHandler(gate)
            listener.pipeline.fireChannelRead(channel as any Channel)
        }
        #expect(table.isFull)

        time.advance(by: .milliseconds(100))
        await channel.testingEventLoop.run()
        try await channel.closeFuture.get()

        #expect(!table.isFull)
    }
}
