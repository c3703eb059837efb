import NIOCore
import NIOHTTP1
import NIOPosix
import Pipeline

@testable import PipelineScenarios

/// A server on a free loopback port. Its origins answer what the scripts of a test say, at `/ORIGIN/PIPELINE`.
struct RealOrigins: Sendable {
    let scripts: [String: OriginScript]

    /// Runs `body` with the URL of a server.
    func serve<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Connection(origins: self))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let value: Value
        do {
            value = try await body("http://127.0.0.1:\(server.localAddress?.port ?? 0)")
        } catch {
            try? await server.close()
            throw error
        }
        try? await server.close()
        return value
    }

    fileprivate func answer(_ path: String, on channel: any Channel) {
        let names = path.split(separator: "/").map(String.init)
        guard names.count == 2, let script = scripts[names[0]] else { return channel.close(promise: nil) }
        script.log.noteRead(of: names[0])
        guard let answer = script.next(for: Key(pipeline: names[1]), at: 0) else { return channel.close(promise: nil) }
        channel.eventLoop.scheduleTask(in: .nanoseconds(answer.takes.saturatedNanoseconds)) { Self.send(answer.content, on: channel) }
    }

    private static func send(_ content: OriginAnswer.Content, on channel: any Channel) {
        switch content {
        case .payload(let payload): send(.ok, payload, on: channel)
        case .invalid: send(.ok, Array("{".utf8), on: channel)
        case .notFound: send(.notFound, [], on: channel)
        case .error(let reason):
            let status = reason.split(separator: " ").last.flatMap { Int($0) }
            if let status { send(HTTPResponseStatus(statusCode: status), [], on: channel) } else { channel.close(promise: nil) }
        case .hangs: break
        case .file: channel.close(promise: nil)
        }
    }

    private static func send(_ status: HTTPResponseStatus, _ payload: [UInt8], on channel: any Channel) {
        let fields: HTTPHeaders = ["Content-Type": "application/json", "Content-Length": "\(payload.count)"]
        channel.write(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: status, headers: fields)), promise: nil)
        channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: payload))), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
    }

    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart

        private let origins: RealOrigins

        init(origins: RealOrigins) {
            self.origins = origins
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .head(let head) = unwrapInboundIn(data) { origins.answer(head.uri, on: context.channel) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
