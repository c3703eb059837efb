import NIOCore
import NIOHTTP1
import NIOTLS
import NIOWebSocket
import Pipeline
import PipelineLive
import PipelineSockets

/// Sends the request that opens a connection, and makes way for frames when the server agrees.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let session: Session
    private let isSecure: Bool
    private let key = NIOWebSocketClientUpgrader.randomRequestKey()
    private var received = ByteBuffer()
    private var heads = AnswerHead()

    /// A handler for a channel that is connected. With `isSecure` it waits for the end of the TLS handshake.
    init(_ session: Session, isSecure: Bool) {
        self.session = session
        self.isSecure = isSecure
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if !isSecure { open(context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            if let problem = NamelessCertificate.problem(on: context.channel) { session.fail(problem) } else { open(context) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func open(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(session.opening.request(key: key)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !session.isOver else { return }
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        do {
            while let answer = try heads.take(from: &received) {
                // What comes before the answer, such as 103 Early Hints.
                if 100...199 ~= answer.status.code, answer.status != .switchingProtocols {
                    received.discardReadBytes()
                    continue
                }
                if let ending = session.opening.ending(of: answer, key: key, wall: session.clock.wall()) {
                    return session.end(ending, closing: nil)
                }
                return try change(context)
            }
        } catch let problem as AnswerHead.Problem {
            session.end(LiveEnding(.faulty, "the answer from \(session.opening.place) is not one: \(problem.words)"), closing: nil)
        } catch {
            session.fail(error)
        }
    }

    /// Leaves the channel to frames, beginning with those that came behind the answer.
    private func change(_ context: ChannelHandlerContext) throws {
        let pipeline = context.pipeline.syncOperations
        // A control frame that is too long is a fault of its own, however short messages must be.
        let decoder = WebSocketFrameDecoder(maxFrameSize: max(Int(UInt16.max), session.settings.maxMessage.bytes))
        try pipeline.addHandler(WebSocketFrameEncoder())
        try pipeline.addHandler(ByteToMessageHandler(decoder))
        try pipeline.addHandler(FrameHandler(session))
        if received.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(received)) }
        pipeline.removeHandler(context: context, promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        session.fail(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        session.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
