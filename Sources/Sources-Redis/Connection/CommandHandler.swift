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

    /// Says that who waited for a reply has left.
    struct Departure: Sendable {
        let waiter: Race<Reply>
    }

    /// What a connection tells besides the replies to single commands.
    struct Observer: Sendable {
        /// Messages of a channel, and confirmations of subscriptions; nil where none are awaited.
        var hears: (@Sendable (Reply) -> Void)?
        /// Is called once, with what every command failed with that still waited.
        var ends: @Sendable (SourceError) -> Void = { _ in }
    }

    /// Commands are sent in parts of this size, each of which is progress.
    private static let part = 65_536

    private let settings: RedisSettings
    private let clock: PipelineClock
    private let reader: ReplyReader
    private let backlog: Backlog
    private let observer: Observer
    private var waiting: CommandQueue
    private var failure: SourceError?
    /// Cancelled with the connection.
    private var watch: Alarm?
    private var isFlushing = false

    init(_ settings: RedisSettings, clock: PipelineClock, reader: ReplyReader, backlog: Backlog, observer: Observer) {
        self.settings = settings
        self.clock = clock
        self.reader = reader
        self.backlog = backlog
        self.observer = observer
        waiting = CommandQueue(limit: settings.timeout)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let request = unwrapOutboundIn(data)
        let bytes = request.command.bytes
        if let failure {
            backlog.remove(bytes.readableBytes)
            request.waiter.finish(.failure(failure))
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        waiting.append(
            request.waiter, replyLimit: request.command.replyLimit, bytes: bytes.readableBytes, at: clock.monotonic())
        if watch == nil { look(after: settings.timeout, context) }
        send(bytes, context, promise)
    }

    private func send(_ bytes: ByteBuffer, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        var rest = bytes
        while rest.readableBytes > Self.part, let part = rest.readSlice(length: Self.part) {
            let sent = context.eventLoop.makePromise(of: Void.self)
            note(sent, part.readableBytes)
            context.write(wrapOutboundOut(part), promise: sent)
        }
        let sent = promise ?? context.eventLoop.makePromise()
        note(sent, rest.readableBytes)
        context.write(wrapOutboundOut(rest), promise: sent)
    }

    private func note(_ sent: EventLoopPromise<Void>, _ bytes: Int) {
        sent.futureResult.assumeIsolated().whenComplete { result in
            self.backlog.remove(bytes)
            if case .success = result { self.waiting.send(bytes, at: self.clock.monotonic()) }
        }
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
        waiting.receive(at: clock.monotonic())
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
        if let watch { clock.alarms.cancel(watch) }
        let waiters = waiting.removeAll()
        observer.ends(error)
        for waiter in waiters { waiter.finish(.failure(error)) }
        context.close(promise: nil)
    }
}

extension CommandHandler {
    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        switch event {
        case is Look: look(context)
        case let departure as Departure: waiting.leave(departure.waiter, at: clock.monotonic())
        default: return context.triggerUserOutboundEvent(event, promise: promise)
        }
        promise?.succeed()
    }

    private func look(_ context: ChannelHandlerContext) {
        watch = nil
        guard failure == nil else { return }
        switch waiting.verdict(at: clock.monotonic()) {
        case .idle: break
        case .wait(let rest): look(after: rest, context)
        case .late: end(settings.late, context)
        case .occupied: end(settings.occupied, context)
        }
    }

    private func look(after delay: Duration, _ context: ChannelHandlerContext) {
        let channel = context.channel
        watch = clock.alarms.set(at: clock.now + delay) { channel.triggerUserOutboundEvent(Look(), promise: nil) }
    }
}
