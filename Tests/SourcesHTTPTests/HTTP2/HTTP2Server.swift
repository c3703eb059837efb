import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// A server on a free loopback port that speaks HTTP/2 over TLS, and answers each request as a script says, right or wrong.
final class HTTP2Server: Sendable {
    enum Step: Sendable {
        case head([(String, String)])
        case data(String, isLast: Bool)
        /// Ends the stream with this code (RFC 9113, section 7).
        case reset(HTTP2ErrorCode)
        /// Says that no stream above this one was processed, and that there will be no more.
        case goAway(HTTP2StreamID)

        static func answer(_ text: String, status: String = "200") -> [Step] {
            [.head([(":status", status), ("content-length", "\(text.utf8.count)")]), .data(text, isLast: true)]
        }
    }

    /// Answers a request to a path: the number of the connection and of the request on it, both from 1.
    typealias Script = @Sendable (_ path: String, _ connection: Int, _ request: Int) -> [Step]

    private struct State {
        var requests: [String] = []
        var connections = 0
        var channel: (any Channel)?
    }

    private let state = Mutex(State())
    private let script: Script

    private init(_ script: @escaping Script) { self.script = script }

    /// Runs `body` with a server that answers by `script`.
    static func run(_ script: @escaping Script, as certificate: SelfSigned, _ body: (HTTP2Server) async throws -> Void) async throws {
        let server = HTTP2Server(script)
        let context = certificate.context
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let streams = Streams(server, connection: server.nextConnection())
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.addHandler(
                        NIOHTTP2Handler(mode: .server, headerBlockValidation: .disabled, contentLengthValidation: .disabled))
                    try pipeline.addHandler(
                        HTTP2StreamMultiplexer(mode: .server, channel: channel) { stream in
                            stream.eventLoop.makeCompletedFuture { try stream.pipeline.syncOperations.addHandler(Stream(streams)) }
                        })
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

    var url: String { "https://127.0.0.1:\(state.withLock { $0.channel?.localAddress?.port ?? 0 })" }
    var connections: Int { state.withLock(\.connections) }
    /// The paths of the requests, in their order.
    var requests: [String] { state.withLock(\.requests) }

    private func nextConnection() -> Int {
        state.withLock { state in
            state.connections += 1
            return state.connections
        }
    }

    fileprivate func steps(for path: String, on connection: Int, _ number: Int) -> [Step] {
        state.withLock { $0.requests.append(path) }
        return script(path, connection, number)
    }
}

/// The requests of one connection.
private final class Streams: Sendable {
    private let server: HTTP2Server
    private let connection: Int
    private let count = Mutex(0)

    init(_ server: HTTP2Server, connection: Int) {
        self.server = server
        self.connection = connection
    }

    func next(_ path: String) -> [HTTP2Server.Step] {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return server.steps(for: path, on: connection, number)
    }
}

/// Answers one request.
private final class Stream: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let streams: Streams

    init(_ streams: Streams) { self.streams = streams }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .headers(let content) = unwrapInboundIn(data), let path = content.headers.first(name: ":path") else { return }
        for step in streams.next(path) { write(step, context) }
        context.flush()
    }

    private func write(_ step: HTTP2Server.Step, _ context: ChannelHandlerContext) {
        let payload: HTTP2Frame.FramePayload
        switch step {
        case .head(let fields): payload = .headers(.init(headers: HPACKHeaders(fields)))
        case .data(let text, let isLast): payload = .data(.init(data: .byteBuffer(ByteBuffer(string: text)), endStream: isLast))
        case .reset(let code): payload = .rstStream(code)
        case .goAway(let last):
            let frame = HTTP2Frame(
                streamID: .rootStream, payload: .goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil))
            context.channel.parent?.writeAndFlush(frame, promise: nil)
            return
        }
        context.write(wrapOutboundOut(payload), promise: nil)
    }
}
