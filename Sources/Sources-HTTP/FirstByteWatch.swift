import NIOCore

/// Stands before the decoder of a connection, and tells why a request was lost there: on a connection that the server had used before,
/// and without a byte of an answer, the server most likely never saw the request.
final class FirstByteWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private enum State {
        case idle
        case waiting(hasBytes: Bool)
    }

    private var requests = 0
    private var state = State.idle

    func requestBegan() {
        requests += 1
        state = .waiting(hasBytes: false)
    }

    /// The head of the final answer has come.
    func answerBegan() {
        state = .idle
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .waiting = state { state = .waiting(hasBytes: true) }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(explained(error))
        if error is IOError || error is ChannelError { state = .idle }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .waiting(let hasBytes) = state { context.fireErrorCaught(lost(hasBytes: hasBytes, cause: nil)) }
        state = .idle
        context.fireChannelInactive()
    }

    /// What `error` of the connection means for the request that waits.
    func explained(_ error: any Error) -> any Error {
        guard case .waiting(let hasBytes) = state, error is IOError || error is ChannelError else { return error }
        return lost(hasBytes: hasBytes, cause: error)
    }

    private func lost(hasBytes: Bool, cause: (any Error)?) -> LostConnection {
        LostConnection(mayRepeat: requests > 1 && !hasBytes, cause: cause)
    }
}
