import NIOCore
import NIOPosix
import Pipeline
import PipelineConfig
import Synchronization

/// A server on a free loopback port that answers what comes on a connection with some bytes, right or wrong ones.
final class FakeServer: Sendable {
    enum Step: Sendable {
        case text(String)
        /// Waits until more has come.
        case more
        /// That many zero bytes, written as fast as the client takes them.
        case zeros(Int)
        /// Takes nothing more that comes, but what ``take()`` asks for.
        case stall
        case close
    }

    private struct State {
        var channel: (any Channel)?
        var connections = 0
        var clients: [any Channel] = []
        var isStalled = false
        var received: [UInt8] = []
        var written = 0
    }

    private let state = Mutex(State())
    private let steps: [Step]

    private init(_ steps: [Step]) {
        self.steps = steps
    }

    var port: Int { state.withLock { $0.channel?.localAddress?.port ?? 0 } }
    var url: String { "redis://127.0.0.1:\(port)" }
    var connections: Int { state.withLock(\.connections) }
    var received: String { state.withLock { String(decoding: $0.received, as: UTF8.self) } }
    var isStalled: Bool { state.withLock(\.isStalled) }
    var written: Int { state.withLock(\.written) }

    static func run(_ steps: Step..., body: (FakeServer) async throws -> Void) async throws { try await run(steps: steps, body: body) }

    static func run(steps: [Step], body: (FakeServer) async throws -> Void) async throws {
        let server = FakeServer(steps)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Answering(server)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.state.withLock { $0.channel = channel }
        do {
            try await body(server)
        } catch {
            try? await channel.close()
            throw error
        }
        try? await channel.close()
    }

    /// Takes a little of what has come.
    func take() {
        for client in state.withLock(\.clients) { client.read() }
    }

    /// Writes to every client.
    func say(_ text: String) {
        for client in state.withLock(\.clients) { client.writeAndFlush(ByteBuffer(string: text), promise: nil) }
    }

    private func perform(_ steps: ArraySlice<Step>, on channel: any Channel) {
        guard let step = steps.first else { return }
        switch step {
        case .more: break
        case .close: channel.close(promise: nil)
        case .stall:
            channel.setOption(.autoRead, value: false).whenSuccess {
                self.state.withLock { $0.isStalled = true }
                self.perform(steps.dropFirst(), on: channel)
            }
        case .text(let text): write(ByteBuffer(string: text), then: steps.dropFirst(), on: channel)
        case .zeros(let count):
            let chunk = min(count, 65_536)
            let rest = count > chunk ? [.zeros(count - chunk)] + steps.dropFirst() : Array(steps.dropFirst())
            write(ByteBuffer(repeating: 0, count: chunk), then: rest[...], on: channel)
        }
    }

    private func write(_ bytes: ByteBuffer, then rest: ArraySlice<Step>, on channel: any Channel) {
        channel.writeAndFlush(bytes).whenSuccess {
            self.state.withLock { $0.written += bytes.readableBytes }
            self.perform(rest, on: channel)
        }
    }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let server: FakeServer
        private var rest: [ArraySlice<Step>]

        init(_ server: FakeServer) {
            self.server = server
            rest = server.steps.split(omittingEmptySubsequences: false) { if case .more = $0 { true } else { false } }
        }

        func channelActive(context: ChannelHandlerContext) {
            let channel = context.channel
            server.state.withLock { state in
                state.connections += 1
                state.clients.append(channel)
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            server.state.withLock { $0.received += bytes.readableBytesView }
            if !rest.isEmpty { server.perform(rest.removeFirst(), on: context.channel) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
