import NIOCore
import NIOPosix
import Pipeline
import PipelineSending
import PipelineTesting
import Synchronization

@testable import SourcesHTTP

extension OutgoingSend {
    /// A send of `payload` for `user`.
    static func of(
        _ payload: String = "[1]", user: String = "me", format: PayloadFormat = .json, id: String = "a-1", in idHeader: IDHeader? = nil,
        condition: String? = nil
    ) -> OutgoingSend {
        OutgoingSend(.user(user), payload: Array(payload.utf8), format: format, id: id, idHeader: idHeader, condition: condition)
    }
}

/// What a send comes to.
struct Sent: Sendable {
    var answer: SendAnswer?
    var error: (any Error)?

    /// What an outbox makes of it.
    var word: String {
        if let answer { return answer.isAccepted ? "accepted" : "answered \(answer.status)" }
        if error is CancellationError { return "cancelled" }
        guard let error = failure else { return "perhaps sent" }
        let surelyNot = error.isUnreached || [SourceError.Kind.skipped, .unasked, .refused].contains(error.kind)
        return surelyNot ? "not sent" : "perhaps sent"
    }

    var failure: SourceError? { error as? SourceError }
    var body: String? { answer.map { String(decoding: $0.body, as: UTF8.self) } }
}

extension HTTPSource {
    /// What `send` comes to.
    func sent(_ send: OutgoingSend = .of(), _ context: ReadContext = ReadContext()) async -> Sent {
        do {
            return Sent(answer: try await self.send(send, context))
        } catch {
            return Sent(error: error)
        }
    }
}

/// Runs `body` with a source that sends to a server, with POST unless it is changed. Its time stands still unless a test moves it, so that
/// an answer may take as long as a busy machine needs.
func withSender(
    _ script: @escaping ScriptedServer.Script, path: String = "/friends", clock: PipelineClock = ManualClock().clock,
    _ change: (inout HTTPSettings) -> Void = { _ in }, _ body: (ScriptedServer, HTTPSource) async throws -> Void
) async throws {
    try await ScriptedServer.run(script) { server async throws in
        try await withSource(server.url + path, clock: clock) {
            $0.method = .post
            $0.idleLimit = .seconds(60)
            change(&$0)
        } _: { source async throws in
            try await body(server, source)
        }
    }
}

/// A server on a free loopback port that says nothing to those who connect.
final class SilentServer: Sendable {
    private let connections = Mutex<[any Channel]>([])
    private let closesAtOnce: Bool
    private let listener = Mutex<(any Channel)?>(nil)

    private init(closingAtOnce closesAtOnce: Bool) { self.closesAtOnce = closesAtOnce }

    /// Runs `body` with a server that closes each connection as soon as it is there, or keeps it until the end.
    static func run(closingAtOnce closesAtOnce: Bool, _ body: (SilentServer) async throws -> Void) async throws {
        let server = SilentServer(closingAtOnce: closesAtOnce)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Connection(server)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.listener.withLock { $0 = channel }
        let result = await Result { try await body(server) }
        try? await channel.close()
        await server.hangUp()
        try result.get()
    }

    var authority: String { "127.0.0.1:\(listener.withLock { $0?.localAddress?.port ?? 0 })" }

    /// Closes the connections that it keeps.
    func hangUp() async {
        for connection in connections.withLock(\.self) { try? await connection.close() }
    }

    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let server: SilentServer

        init(_ server: SilentServer) { self.server = server }

        func channelActive(context: ChannelHandlerContext) {
            if server.closesAtOnce { return context.close(promise: nil) }
            server.connections.withLock { $0.append(context.channel) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
