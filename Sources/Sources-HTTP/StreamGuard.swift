import NIOCore
import NIOHPACK
import NIOHTTP2
import PipelineSockets

/// Stands at the beginning of each stream of HTTP/2, and lets through only answers that the client's own handlers can take: a status such
/// as `-5` ends the process there, and so does one below 100.
final class StreamGuard: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload

    private var isBroken = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isBroken else { return }
        guard let status = unwrapInboundIn(data).impossibleStatus else { return context.fireChannelRead(data) }
        isBroken = true
        context.fireErrorCaught(ImpossibleStatus(field: status))
        context.close(promise: nil)
    }
}

extension StreamGuard {
    /// Guards a new stream of the client. Fails for a server whose certificate names no host.
    static func guardStream(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            if let connection = channel.parent, let problem = NamelessCertificate.problem(on: connection) {
                // Later, as the client is in the middle of opening the stream.
                connection.eventLoop.execute { connection.close(promise: nil) }
                throw problem
            }
            try channel.pipeline.syncOperations.addHandler(StreamGuard(), position: .first)
        }
    }
}

extension HTTP2Frame.FramePayload {
    /// A status that is none; nil where there is no status, or a right one.
    fileprivate var impossibleStatus: String? {
        guard case .headers(let content) = self else { return nil }
        return content.headers[":status"].first { status in
            status.utf8.count != 3 || status.utf8.first == UInt8(ascii: "0")
                || !status.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        }
    }
}
