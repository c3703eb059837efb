import NIOCore
import NIOHTTP2
import PipelineConfig

/// Stands right behind the frames of a connection of HTTP/2, which many requests share:
///
/// - A request above the last one that a GOAWAY names was not processed (RFC 9113, section 6.8). Its stream ends as refused, as
///   `StreamClosedEvent` promises; it would end as cancelled otherwise.
/// - When a request is given up, the server is asked for a sign of life. A connection that shows none is closed: all later requests would
///   wait at it, too.
/// - A connection whose rules the server breaks is closed. Its frames can no longer be told apart, and the client would go on using it.
final class ConnectionWatch: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// The time for a sign of life. No second one is asked for within it: too many answers count as an attack.
    static let patience = TimeAmount.seconds(5)

    /// Counts the connection, whatever is under way on it.
    private let descriptor = DescriptorBudget.process.count()
    private var last: HTTP2StreamID?
    private var alarm: Scheduled<Void>?
    private var nextPing = NIODeadline.distantPast

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        endAlarm()
        if case .goAway(let last, _, _) = unwrapInboundIn(data).payload { self.last = last }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let last, let closed = event as? StreamClosedEvent, closed.reason == .cancel, closed.streamID > last {
            context.fireUserInboundEventTriggered(StreamClosedEvent(streamID: closed.streamID, reason: .refusedStream))
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let isGivenUp = if case .rstStream = unwrapOutboundIn(data).payload { true } else { false }
        context.write(data, promise: promise)
        guard isGivenUp, alarm == nil, context.eventLoop.now >= nextPing else { return }
        nextPing = context.eventLoop.now + Self.patience
        let ping = HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(), ack: false))
        context.writeAndFlush(wrapOutboundOut(ping), promise: nil)
        alarm = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        // These two are about one stream.
        if !(error is NIOHTTP2Errors.StreamError || error is NIOHTTP2Errors.ContentLengthViolated) { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        descriptor.giveBack()
        endAlarm()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { endAlarm() }

    private func endAlarm() {
        alarm?.cancel()
        alarm = nil
    }
}

extension ConnectionWatch {
    /// Watches a new connection of the client.
    static func watchConnection(_ channel: any Channel) -> EventLoopFuture<Void> {
        let pipeline = channel.pipeline.syncOperations
        do {
            try pipeline.addHandler(ConnectionWatch(), position: .after(pipeline.handler(type: NIOHTTP2Handler.self)))
        } catch {
            // A channel that is closed already has no handlers: the client sees for itself.
            channel.close(promise: nil)
        }
        return channel.eventLoop.makeSucceededVoidFuture()
    }
}
