import NIOCore
import NIOHPACK
import NIOHTTP2
import PipelineSockets

/// Stands at the beginning of each stream of HTTP/2, and lets through only answers that the client's own handlers can take: a status such
/// as `-5` ends the process there, and so does one below 100, or an answer after 101.
///
/// It also keeps requests from a server whose certificate names no host, and uses the ticket of a send.
final class StreamGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// The reason why no request goes out; nil if it does.
    private var refusal: (any Error)?
    private var isBroken = false

    init(refusal: NamelessCertificate?) { self.refusal = refusal }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isBroken else { return }
        if let status = unwrapInboundIn(data).impossibleStatus { return fail(context, ImpossibleStatus(field: status)) }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var data = data
        if refusal == nil, case .headers(var content) = unwrapOutboundIn(data), let ticket = content.headers.ticketNumber {
            content.headers.remove(name: SendTickets.field)
            data = wrapOutboundOut(.headers(content))
            if !SendTickets.process.use(ticket) { refusal = SendTicket.Unusable() }
        }
        guard let refusal else { return context.write(data, promise: promise) }
        promise?.fail(refusal)
        guard case .headers = unwrapOutboundIn(data) else { return }
        // Later, as the client is in the middle of sending.
        context.eventLoop.assumeIsolated().execute {
            self.fail(context, refusal)
            // The others on the connection have nothing to do with a send.
            if refusal is NamelessCertificate { context.channel.parent?.close(promise: nil) }
        }
    }

    private func fail(_ context: ChannelHandlerContext, _ error: any Error) {
        isBroken = true
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }
}

extension StreamGuard {
    /// Guards a new stream of the client. Never fails: the client has handlers already that end the process then.
    static func guardStream(_ channel: any Channel) -> EventLoopFuture<Void> {
        let problem = channel.parent.flatMap { NamelessCertificate.problem(on: $0) }
        // A channel that is closed already takes no handler, and gives no answer either.
        try? channel.pipeline.syncOperations.addHandler(StreamGuard(refusal: problem), position: .first)
        return channel.eventLoop.makeSucceededVoidFuture()
    }
}

extension HTTP2Frame.FramePayload {
    /// A status that is none in HTTP/2 (RFC 9113, sections 8.3.2 and 8.6); nil if there is no status, or a right one.
    fileprivate var impossibleStatus: String? {
        guard case .headers(let content) = self else { return nil }
        return content.headers[":status"].first { status in
            status.utf8.count != 3 || status.utf8.first == UInt8(ascii: "0") || status == "101"
                || !status.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        }
    }
}
