import NIOCore
import Pipeline

/// One connection's end in the event loop: sends commands as they come, and gives each reply to the command that waited longest.
///
/// After a failure nothing tells which reply belongs to which command any more, and so every failure ends the connection.
final class CommandHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Request
    typealias OutboundOut = ByteBuffer

    /// Asks the handler to look whether a command has waited for too long.
    struct Look: Sendable {}

    /// What a connection tells besides the replies to single commands.
    struct Observer: Sendable {
        /// Messages of a channel, and confirmations of subscriptions; nil where none are awaited.
        var hears: (@Sendable (Reply) -> Void)?
        /// Is called once, with what every command failed with that still waited.
        var ends: @Sendable (SourceError) -> Void = { _ in }
    }

    private struct Waiting {
        let waiter: Race<Reply>
        let replyLimit: Int
        let deadline: Duration
    }

    private let settings: RedisSettings
    private let clock: PipelineClock
    private let reader: ReplyReader
    private let observer: Observer
    private var waiting = CircularBuffer<Waiting>()
    private var failure: SourceError?
    /// Cancelled with the connection.
    private var watch: Task<Void, Never>?
    private var isFlushing = false

    init(_ settings: RedisSettings, clock: PipelineClock, reader: ReplyReader, observer: Observer) {
        self.settings = settings
        self.clock = clock
        self.reader = reader
        self.observer = observer
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let request = unwrapOutboundIn(data)
        if let failure {
            request.waiter.finish(.failure(failure))
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        waiting.append(
            Waiting(
                waiter: request.waiter, replyLimit: request.command.replyLimit, deadline: clock.monotonic() + settings.timeout))
        if watch == nil { look(after: settings.timeout, context) }
        context.write(wrapOutboundOut(request.command.bytes), promise: promise)
    }

    /// Commands that come in one turn of the event loop leave in one write to the socket.
    func flush(context: ChannelHandlerContext) {
        guard !isFlushing else { return }
        isFlushing = true
        context.eventLoop.assumeIsolated().execute {
            self.isFlushing = false
            context.flush()
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard failure == nil else { return }
        do {
            try reader.feed(unwrapInboundIn(data))
            while failure == nil, let reply = try reader.next(limit: waiting.first?.replyLimit ?? Command.shortReply) {
                deliver(reply, context)
            }
        } catch {
            let words = (error as? ReplyReader.Problem)?.words ?? "\(error)"
            end(SourceError("\(settings.url.authority) does not answer as Redis does: \(words)", cause: error), context)
        }
    }

    private func deliver(_ reply: Reply, _ context: ChannelHandlerContext) {
        if let hears = observer.hears, case .array(let parts) = reply, let kind = parts.first?.text {
            if kind == "message" || kind == "subscribe" { hears(reply) }
            if kind == "message" { return }
        }
        guard let first = waiting.popFirst() else {
            return end(SourceError("\(settings.url.authority) sent a reply that nobody waits for"), context)
        }
        first.waiter.finish(.success(reply))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(settings.url.error(for: error), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(settings.cutOff, context)
        context.fireChannelInactive()
    }

    private func end(_ error: SourceError, _ context: ChannelHandlerContext) {
        guard failure == nil else { return }
        failure = error
        watch?.cancel()
        let waiters = waiting.map(\.waiter)
        waiting.removeAll()
        observer.ends(error)
        for waiter in waiters { waiter.finish(.failure(error)) }
        context.close(promise: nil)
    }
}

extension CommandHandler {
    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is Look else { return context.triggerUserOutboundEvent(event, promise: promise) }
        promise?.succeed()
        watch = nil
        // What came while nobody looked has its deadline still to come.
        guard failure == nil, let first = waiting.first else { return }
        let rest = first.deadline - clock.monotonic()
        if rest > .zero { look(after: rest, context) } else { end(settings.late, context) }
    }

    private func look(after delay: Duration, _ context: ChannelHandlerContext) {
        let channel = context.channel
        watch = Task { [clock] in
            guard (try? await clock.sleep(for: delay)) != nil else { return }
            channel.triggerUserOutboundEvent(Look(), promise: nil)
        }
    }
}
