import NIOCore
import NIOWebSocket
import Pipeline
import PipelineLive
import PipelineSockets

/// The end of an open connection in its event loop: gives messages to the listener, answers pings, and sends its own.
final class FrameHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// The time that the server may take to answer a close frame.
    private static let farewell = Duration.seconds(1)

    private let session: Session
    private var reader: MessageReader
    private var hasBegun = false
    private var awaitsPong = false
    /// The next ping, then the end of the farewell. Cancelled with the connection.
    private var alarm = AlarmSlot()
    /// The context; nil before and after the life of the connection.
    private var context: ChannelHandlerContext?

    init(_ session: Session) {
        self.session = session
        reader = MessageReader(limit: session.settings.maxMessage.bytes, tooLong: session.settings.tooLong)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        session.closes { self.leave(with: $0) }
        session.awaits(
            "no message that `ready` describes from \(session.opening.place)", help: "correct `ready`, or what `subscribe` sends")
        for message in session.opening.messages { send(.text, message) }
        context.flush()
        setAlarm(after: session.settings.ping) { $0.ping() }
        if session.settings.ready == nil { begin() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        alarm.cancel(on: session.clock)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !session.isOver else { return }
        let item = reader.read(unwrapInboundIn(data))
        switch item {
        case .part: break
        case .message(let payload): return receive(payload)
        case .binary: if hasBegun { session.listener.skip("a binary message") }
        case .ping(let bytes):
            // A server that sends pings and takes no answer must not fill the memory (RFC 6455, section 5.5.3).
            guard context.channel.isWritable else { break }
            send(.pong, bytes)
            context.flush()
        case .pong: awaitsPong = false
        case .close(let code, let words):
            let code = CloseCode(number: code)
            return session.end(code.ending(words), closing: code == .none ? .normal : code)
        case .fault(let code, let words): return session.end(LiveEnding(.faulty, words), closing: CloseCode(number: code))
        }
        if hasBegun { session.listener.showAlive() }
    }

    /// A message that is `ready` says no more than that.
    private func receive(_ payload: [UInt8]) {
        guard session.settings.ready?.matches(payload) != true else { return hasBegun ? session.listener.showAlive() : begin() }
        if hasBegun { session.listener.receive(LiveMessage(payload)) }
    }

    private func begin() {
        hasBegun = true
        session.begin()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength:
            session.end(LiveEnding(.faulty, session.settings.tooLong), closing: .tooLarge)
        case is NIOWebSocketError:
            session.end(
                LiveEnding(.faulty, "the server breaks the protocol: a control frame is fragmented, or too long"), closing: .protocolError)
        default: session.fail(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        session.fail(ChannelError.eof)
        alarm.cancel(on: session.clock)
        context.fireChannelInactive()
    }
}

extension FrameHandler {
    /// A frame of a client, masked (RFC 6455, section 5.3).
    private func send(_ opcode: WebSocketOpcode, _ bytes: [UInt8]) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: ByteBuffer(bytes: bytes))
        context?.write(wrapOutboundOut(frame), promise: nil)
    }

    private func ping() {
        guard !session.isOver else { return }
        guard !awaitsPong else {
            let limit = session.settings.ping.spelling
            return session.end(LiveEnding(.lost, "no pong from \(session.opening.url.authority) within \(limit)"), closing: nil)
        }
        awaitsPong = true
        send(.ping, [])
        context?.flush()
        setAlarm(after: session.settings.ping) { $0.ping() }
    }

    /// Sends a close frame, and gives the server a moment to close the connection, so that it reads the frame. Without a code it is gone already.
    private func leave(with code: CloseCode?) {
        guard let code else {
            context?.close(promise: nil)
            return
        }
        send(.connectionClose, [UInt8(truncatingIfNeeded: code.number >> 8), UInt8(truncatingIfNeeded: code.number)])
        context?.flush()
        setAlarm(after: Self.farewell) { $0.context?.close(promise: nil) }
    }

    private func setAlarm(after delay: Duration, _ action: @escaping @Sendable (FrameHandler) -> Void) {
        alarm.cancel(on: session.clock)
        guard let eventLoop = context?.eventLoop else { return }
        let handler = NIOLoopBound(self, eventLoop: eventLoop)
        alarm.set(at: session.clock.now + delay, on: session.clock) { _ in
            eventLoop.execute { action(handler.value) }
        }
    }
}
