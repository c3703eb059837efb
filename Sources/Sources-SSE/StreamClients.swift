import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import PipelineSockets
import Synchronization

/// The clients for event streams, apart from those of fetches, which must not wait for a connection that a stream holds.
///
/// There is one for each loop of ``HostLoops``. They stay until the process ends; a stream that ends closes its connection.
final class StreamClients: Sendable {
    static let process = StreamClients()

    private let clients = Mutex<[ObjectIdentifier: HTTPClient]>([:])

    /// The client for streams from the host of `url`.
    func client(for url: HTTPURL) -> HTTPClient {
        let group = HostLoops.live.group(for: url)
        return clients.withLock { clients in
            let client = clients[ObjectIdentifier(group)] ?? HTTPClient(eventLoopGroup: group, configuration: Self.configuration)
            clients[ObjectIdentifier(group)] = client
            return client
        }
    }

    private static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(tlsConfiguration: .client)
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        // The idle time of the source ends an attempt before.
        configuration.timeout.connect = .hours(1)
        configuration.connectionPool.retryConnectionEstablishment = false
        // A stream holds its connection, so that one that waits for its turn would wait without end.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = .max
        configuration.maximumUsesPerConnection = 1
        // In HTTP/2 a status such as `-5` ends the process in swift-nio-http2, before a handler of ours could see it.
        configuration.httpVersion = .http1Only
        configuration.http1_1ConnectionDebugInitializer = HeadGuard.guardConnection
        return configuration
    }
}

/// Stands in front of the client's own handlers, and lets through only what they can take: their state machine ends the process at an
/// answer with a status below 100. It also keeps requests from a server whose certificate names no host.
final class HeadGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let refusal: NamelessCertificate?
    private var isBroken = false

    init(refusal: NamelessCertificate?) {
        self.refusal = refusal
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isBroken else { return }
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 { return fail(context, ImpossibleStatus()) }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let refusal else { return context.write(data, promise: promise) }
        let isHead = if case .head = unwrapOutboundIn(data) { true } else { false }
        promise?.fail(refusal)
        guard isHead else { return }
        // Later, as the client is in the middle of sending.
        context.eventLoop.assumeIsolated().execute { self.fail(context, refusal) }
    }

    private func fail(_ context: ChannelHandlerContext, _ error: any Error) {
        isBroken = true
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }

    /// Guards a new connection of the client. One that is closed already has no handlers, and gives no answer either.
    @Sendable static func guardConnection(_ channel: any Channel) -> EventLoopFuture<Void> {
        let pipeline = channel.pipeline.syncOperations
        do {
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            // A connection has one request.
            try pipeline.addHandler(AnswerReader(), position: .before(decoder))
            try pipeline.addHandler(HeadGuard(refusal: .problem(on: channel)), position: .after(decoder))
        } catch {
            channel.close(promise: nil)
        }
        return channel.eventLoop.makeSucceededVoidFuture()
    }
}

/// An answer whose status HTTP does not know: below 100.
struct ImpossibleStatus: Error {}
