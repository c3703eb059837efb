import NIOCore
import NIOHTTP1
import PipelineConfig
import PipelineSockets

/// Stands in front of the client's own handlers, and lets through only what they can take: their state machine ends the process at an
/// answer with a status below 100.
///
/// It also keeps requests from a server whose certificate names no host, tells those before the decoder where a request begins, and counts
/// the connection among the descriptors while no request stands for it: between requests, when it can be closed for others, and from the
/// head of an answer on.
final class AnswerGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let watch: FirstByteWatch
    private let reader: AnswerReader
    private let refusal: NamelessCertificate?
    /// Whether a proxy stands at the other end, which needs the whole URL.
    private let isToProxy: Bool
    private var isBroken = false
    /// Whether it has answered, and no request is under way.
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
        let head: HTTPRequestHead? = if case .head(let head) = unwrapOutboundIn(data) { head } else { nil }
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

    /// The head of a request with the whole URL, and everything else as it is.
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
