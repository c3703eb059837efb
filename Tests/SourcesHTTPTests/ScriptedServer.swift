import Pipeline

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server on a free loopback port that answers each request with bytes as a script says, right or wrong ones.
final class ScriptedServer: Sendable {
    enum Step: Sendable {
        case bytes([UInt8])
        /// That many zero bytes, written as fast as the client takes them.
        case zeros(Int)
        case close
        /// Closes the connection as a server does that was killed.
        case reset

        static func text(_ text: String) -> Step { .bytes(Array(text.utf8)) }
    }

    typealias Script = @Sendable (RecordedRequest) -> [Step]

    private struct State {
        var requests: [RecordedRequest] = []
        var connections = 0
        var bytesWritten = 0
        var channel: (any Channel)?
    }

    private let state = Mutex(State())
    private let script: Script
    private let scheme: String
    private let arrivalEvents: AsyncStream<Void>.Continuation
    private let closingEvents: AsyncStream<Void>.Continuation
    private let arrivals: AsyncStream<Void>
    private let closings: AsyncStream<Void>

    private init(_ script: @escaping Script, scheme: String) {
        self.script = script
        self.scheme = scheme
        (arrivals, arrivalEvents) = AsyncStream.makeStream()
        (closings, closingEvents) = AsyncStream.makeStream()
    }

    /// Runs `body` with a server that answers by `script`; with a certificate it speaks TLS.
    static func run(
        _ script: @escaping Script, as certificate: SelfSigned? = nil, _ body: (ScriptedServer) async throws -> Void
    ) async throws {
        let server = ScriptedServer(script, scheme: certificate == nil ? "http" : "https")
        let context = certificate?.context
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context)) }
                    try channel.pipeline.syncOperations.addHandler(Connection(server))
                }
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

    var port: Int { state.withLock { $0.channel?.localAddress?.port ?? 0 } }
    var authority: String { "127.0.0.1:\(port)" }
    var url: String { "\(scheme)://\(authority)" }
    var requests: [RecordedRequest] { state.withLock(\.requests) }
    var connections: Int { state.withLock(\.connections) }
    var bytesWritten: Int { state.withLock(\.bytesWritten) }

    /// Returns when a request has come that no earlier call waited for.
    func arrival() async {
        for await _ in arrivals { return }
    }

    /// Returns when a connection has been closed that no earlier call waited for.
    func closing() async {
        for await _ in closings { return }
    }

    private func answer(_ request: RecordedRequest, on channel: any Channel) {
        state.withLock { $0.requests.append(request) }
        arrivalEvents.yield()
        perform(script(request)[...], on: channel)
    }

    private func perform(_ steps: ArraySlice<Step>, on channel: any Channel) {
        guard let step = steps.first else { return }
        switch step {
        case .close: channel.close(promise: nil)
        case .reset:
            let option = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            (option ?? channel.eventLoop.makeSucceededVoidFuture()).whenComplete { _ in channel.close(promise: nil) }
        case .bytes(let bytes): write(bytes, then: steps.dropFirst(), on: channel)
        case .zeros(let count):
            let chunk = min(count, 65_536)
            let rest = count > chunk ? [.zeros(count - chunk)] + steps.dropFirst() : Array(steps.dropFirst())
            write([UInt8](repeating: 0, count: chunk), then: rest[...], on: channel)
        }
    }

    private func write(_ bytes: [UInt8], then rest: ArraySlice<Step>, on channel: any Channel) {
        channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenSuccess {
            self.state.withLock { $0.bytesWritten += bytes.count }
            self.perform(rest, on: channel)
        }
    }

    /// Collects the bytes of one connection and finds the requests in them.
    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let server: ScriptedServer
        private var received: [UInt8] = []
        private var count = 0

        init(_ server: ScriptedServer) {
            self.server = server
        }

        func channelActive(context: ChannelHandlerContext) {
            server.state.withLock { $0.connections += 1 }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += unwrapInboundIn(data).readableBytesView
            while let request = RecordedRequest(takingFrom: &received, number: count + 1) {
                count += 1
                server.answer(request, on: context.channel)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            server.closingEvents.yield()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
