import NIOCore
import NIOHTTP1
import PipelineConfig
import PipelineSockets

/// Stands in front of the client's own handlers, and lets through only what they can take: their state machine ends the process at an
/// answer with a status below 100.
///
/// It also keeps requests from a server whose certificate names no host, uses the tickets of sends, tells those before the decoder where a
/// request begins, and counts the connection among the descriptors while no request stands for it: between requests, when it can be closed
/// for others, and from the head of an answer on.
final class AnswerGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let watch: FirstByteWatch
    private let reader: AnswerReader
    /// The reason why no request goes out any more; nil if requests do.
    private var refusal: (any Error)?
    /// Indicates whether a proxy stands at the other end, which needs the absolute URL.
    private let isToProxy: Bool
    private var isBroken = false
    /// Indicates whether it has answered, and no request is under way.
    private var isIdle = false
    /// Counts the connection; nil while its request does.
    private var descriptor: DescriptorPermit?

    init(watch: FirstByteWatch, reader: AnswerReader, refusal: NamelessCertificate?, toProxy isToProxy: Bool) {
        self.isToProxy = isToProxy
        self.watch = watch
        self.reader = reader
        self.refusal = refusal
    }

    // A request is about to come, which may be the one that it was opened for.
    func handlerAdded(context: ChannelHandlerContext) { descriptor = DescriptorBudget.process.count() }

    func channelInactive(context: ChannelHandlerContext) {
        descriptor = nil
        context.fireChannelInactive()
    }

    /// Waits for a request. Until one comes, it can be closed for others.
    private func keep(_ channel: any Channel) {
        isIdle = true
        let place = NIOLoopBound(self, eventLoop: channel.eventLoop)
        descriptor = DescriptorBudget.process.keep {
            channel.eventLoop.execute { if place.value.isIdle { channel.close(promise: nil) } }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isBroken else { return }
        if case .end = unwrapInboundIn(data) { keep(context.channel) }
        guard case .head(let head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        descriptor = DescriptorBudget.process.count()
        guard head.status.code >= 100 else { return fail(context, ImpossibleStatus(code: head.status.code)) }
        if head.status.code >= 200 || head.status == .switchingProtocols { watch.answerBegan() }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var data = data
        var head: HTTPRequestHead? = if case .head(let head) = unwrapOutboundIn(data) { head } else { nil }
        if refusal == nil, let ticket = head?.headers.ticketNumber {
            head?.headers.remove(name: SendTickets.field)
            if let head { data = wrapOutboundOut(.head(head)) }
            if !SendTickets.process.use(ticket) { refusal = SendTicket.Unusable() }
        }
        guard let refusal else {
            if let head {
                (descriptor, isIdle) = (nil, false)
                watch.requestBegan()
                reader.requestBegan(isHead: head.method == .HEAD)
            }
            return context.write(isToProxy ? addressed(data) : data, promise: promise.map { explaining($0, on: context.eventLoop) })
        }
        promise?.fail(refusal)
        guard head != nil else { return }
        // Later, as the client is in the middle of sending.
        context.eventLoop.assumeIsolated().execute { self.fail(context, refusal) }
    }

    /// The head of a request with the absolute URL, and everything else as it is.
    private func addressed(_ data: NIOAny) -> NIOAny {
        guard case .head(var head) = unwrapOutboundIn(data), let host = head.headers.first(name: "Host") else { return data }
        head.uri = "http://" + host + head.uri
        return wrapOutboundOut(.head(head))
    }

    /// A promise for `promise` that says of a failure what it means for the request.
    private func explaining(_ promise: EventLoopPromise<Void>, on loop: any EventLoop) -> EventLoopPromise<Void> {
        let written = loop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { result in
            switch result {
            case .success: promise.succeed()
            case .failure(let error): promise.fail(self.watch.explained(error))
            }
        }
        return written
    }

    private func fail(_ context: ChannelHandlerContext, _ error: any Error) {
        isBroken = true
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }
}

extension AnswerGuard {
    /// Guards a new connection of the client.
    ///
    /// A channel that is closed already has no handlers, and gives no answer either: the client sees for itself.
    static func guardConnection(_ channel: any Channel, toProxy isToProxy: Bool) -> EventLoopFuture<Void> {
        let pipeline = channel.pipeline.syncOperations
        do {
            let (watch, reader) = (FirstByteWatch(), AnswerReader())
            let refusal = NamelessCertificate.problem(on: channel)
            let answerGuard = AnswerGuard(watch: watch, reader: reader, refusal: refusal, toProxy: isToProxy)
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandlers([watch, reader], position: .before(decoder))
            try pipeline.addHandler(answerGuard, position: .after(decoder))
        } catch {
            channel.close(promise: nil)
        }
        return channel.eventLoop.makeSucceededVoidFuture()
    }
}

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

    /// Notes that the head of the final answer has come.
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

    /// The meaning of an `error` of the connection for the request that waits.
    func explained(_ error: any Error) -> any Error {
        guard case .waiting(let hasBytes) = state, error is IOError || error is ChannelError else { return error }
        return lost(hasBytes: hasBytes, cause: error)
    }

    private func lost(hasBytes: Bool, cause: (any Error)?) -> LostConnection {
        LostConnection(mayRepeat: requests > 1 && !hasBytes, cause: cause)
    }
}

/// The status of an answer that HTTP does not know: anything but three digits from 100 on.
struct ImpossibleStatus: Error {
    /// The status in its three digits, or the beginning of what stands in its place.
    let text: String

    /// The status of an answer in HTTP/1.
    init(code: UInt) { text = String(repeating: "0", count: max(0, 3 - "\(code)".count)) + "\(code)" }

    /// The status of an answer in HTTP/2.
    init(field: String) { text = "`\(field.prefix(20))`" }
}

/// A connection that closed between a request and the head of its answer.
struct LostConnection: Error {
    /// Indicates whether the connection was reused and no byte of an answer came, so that a request that changes nothing by being repeated
    /// may be sent again at once (RFC 9112, section 9.3.1).
    let mayRepeat: Bool
    let cause: (any Error)?
}
