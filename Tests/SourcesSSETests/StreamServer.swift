import NIOCore
import NIOPosix
import Synchronization

/// An HTTP server on a free loopback port that answers the nth request with bytes of a script, and closes the connection if told so.
final class StreamServer: Sendable {
    struct Answer: Sendable {
        var parts: [[UInt8]]
        var closes = true

        /// A head with `lines`, and `body` behind it.
        static func text(_ lines: String, _ body: String = "", closes: Bool = true) -> Answer {
            Answer(parts: [Array((lines.replacing("\n", with: "\r\n") + "\r\n\r\n").utf8), Array(body.utf8)], closes: closes)
        }

        /// An event stream.
        static func stream(_ body: String, closes: Bool = true) -> Answer {
            text("HTTP/1.1 200 OK\nContent-Type: text/event-stream; charset=utf-8", body, closes: closes)
        }
    }

    private struct State {
        var heads: [String] = []
        var channel: (any Channel)?
    }

    private let answers: @Sendable (Int) -> Answer?
    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation
    private let closings: AsyncStream<Void>
    private let closed: AsyncStream<Void>.Continuation

    private init(_ answers: @escaping @Sendable (Int) -> Answer?) {
        self.answers = answers
        (arrivals, arrived) = AsyncStream.makeStream()
        (closings, closed) = AsyncStream.makeStream()
    }

    /// Runs `body` with a server that gives the answer with the number of the request, counted from 0; to others nothing.
    static func run(_ answers: @escaping @Sendable (Int) -> Answer?, _ body: (StreamServer) async throws -> Void) async throws {
        let server = StreamServer(answers)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Connection(server)) }
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

    /// The same with one answer to each request.
    static func run(_ answer: Answer?, _ body: (StreamServer) async throws -> Void) async throws {
        try await run({ _ in answer }, body)
    }

    var authority: String { "127.0.0.1:\(state.withLock { $0.channel?.localAddress?.port ?? 0 })" }
    var url: String { "http://\(authority)" }
    var heads: [String] { state.withLock(\.heads) }

    /// Returns when a request has come.
    func arrival() async {
        for await _ in arrivals { return }
    }

    /// Returns when a connection has been closed.
    func closing() async {
        for await _ in closings { return }
    }

    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let server: StreamServer
        private var received: [UInt8] = []

        init(_ server: StreamServer) { self.server = server }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += unwrapInboundIn(data).readableBytesView
            guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
            let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
            received.removeFirst(end.upperBound)
            let number = server.state.withLock { state in
                state.heads.append(head)
                return state.heads.count - 1
            }
            server.arrived.yield()
            guard let answer = server.answers(number) else { return }
            for part in answer.parts { context.writeAndFlush(NIOAny(ByteBuffer(bytes: part)), promise: nil) }
            if answer.closes { context.close(promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) { server.closed.yield() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
