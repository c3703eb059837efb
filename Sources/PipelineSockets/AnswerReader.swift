package import NIOCore

/// Stands before the decoder of a client's connection, and hands it the bytes of each answer as ``AnswerFraming`` writes them.
package final class AnswerReader: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer

    private var framing = AnswerFraming()
    private var isBroken = false

    package init() {}

    /// The bytes that come from now on are the answer to another request, which may have the method `HEAD`. The first one needs no call where it
    /// has another method.
    package func requestBegan(isHead: Bool) { framing = AnswerFraming(toHead: isHead) }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isBroken else { return }
        do {
            let bytes = try framing.read(unwrapInboundIn(data))
            if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
        } catch {
            isBroken = true
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
    }
}
