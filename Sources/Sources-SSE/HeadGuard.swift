import NIOCore
import NIOHTTP1
import PipelineSockets

/// Stands in front of the client's own handlers, and lets through only what they can take: their state machine ends the process at an
/// answer with a status below 100. It also keeps requests from a server whose certificate names no host.
final class HeadGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let limit: HeadLimit
    private let refusal: NamelessCertificate?
    private var isBroken = false

    init(limit: HeadLimit, refusal: NamelessCertificate?) {
        self.limit = limit
        self.refusal = refusal
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isBroken else { return }
        if case .head(let head) = unwrapInboundIn(data) {
            guard head.status.code >= 100 else { return fail(context, BrokenHead.status) }
            if head.status.code >= 200 { limit.isOver = true }
        }
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
            let limit = HeadLimit()
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(limit, position: .before(decoder))
            try pipeline.addHandler(HeadGuard(limit: limit, refusal: .problem(on: channel)), position: .after(decoder))
        } catch {
            channel.close(promise: nil)
        }
        return channel.eventLoop.makeSucceededVoidFuture()
    }
}

/// An answer that is not one.
enum BrokenHead: Error {
    case status
    case length
}

/// Stands before the decoder, which has no bound for all fields together.
final class HeadLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private static let most = 256 << 10

    /// Whether the head has come.
    var isOver = false
    private var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isOver {
            count += unwrapInboundIn(data).readableBytes
            guard count <= Self.most else {
                context.fireErrorCaught(BrokenHead.length)
                return context.close(promise: nil)
            }
        }
        context.fireChannelRead(data)
    }
}
