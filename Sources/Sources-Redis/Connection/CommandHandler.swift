import NIOCore
import Pipeline

/// One connection's end in the event loop: sends commands as they come, and gives each reply to the command that waited longest.
///
/// After a failure nothing tells which reply belongs to which command any more, and so every failure ends the connection.
final class CommandHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The closures that a connection calls with more than the replies to single commands.
    struct Observer: Sendable {
        /// Messages of a channel, and confirmations of subscriptions; nil if none are awaited.
        var receives: (@Sendable (Reply) -> Void)?
        /// The closure that is called once, with what every command failed with that still waited.
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
    private var watch = AlarmSlot()
    /// The context; nil before and after the life of the connection.
    private var context: ChannelHandlerContext?

    init(_ settings: RedisSettings, clock: PipelineClock, reader: ReplyReader, backlog: Backlog, observer: Observer) {
        self.settings = settings
        self.clock = clock
        self.reader = reader
        self.backlog = backlog
        self.observer = observer
        waiting = CommandQueue(limit: settings.timeout)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    /// Leaves the pipeline. A connection that stood has ended before; an attempt that came to nothing is no end of a connection.
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    /// Sends commands, all that come in one turn of the event loop in one write to the socket.
    func send(_ requests: [Request]) {
        if requests.isEmpty { return }
        guard failure == nil, let context else {
            for request in requests {
                backlog.remove(request.command.bytes.readableBytes)
                request.waiter.finish(.failure(failure ?? settings.cutOff))
            }
            return
        }
        let now = clock.monotonic()
        for request in requests {
            let command = request.command
            waiting.append(request.waiter, replyLimit: command.replyLimit, bytes: command.bytes.readableBytes, at: now)
        }
        if watch.moment == nil { look(after: settings.timeout, context) }
        var parts = requests.flatMap { Self.parts(of: $0.command.bytes) }[...]
        var unnoted = 0
        while let part = parts.popFirst() {
            unnoted += part.readableBytes
            var sent: EventLoopPromise<Void>?
            if unnoted + (parts.first?.readableBytes ?? Self.part) > Self.part {
                sent = note(unnoted, context)
                unnoted = 0
            }
            context.write(wrapOutboundOut(part), promise: sent)
        }
        context.flush()
    }

    private static func parts(of bytes: ByteBuffer) -> [ByteBuffer] {
        guard bytes.readableBytes > part else { return [bytes] }
        var (rest, parts) = (bytes, [ByteBuffer]())
        while let next = rest.readSlice(length: min(part, rest.readableBytes)), next.readableBytes > 0 { parts.append(next) }
        return parts
    }

    /// A promise that is kept when the last of so many bytes was sent.
    private func note(_ bytes: Int, _ context: ChannelHandlerContext) -> EventLoopPromise<Void> {
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { result in
            self.backlog.remove(bytes)
            if case .success = result { self.waiting.send(bytes, at: self.clock.monotonic()) }
        }
        return sent
    }

    /// Takes out a caller that no longer waits for this reply.
    func leave(_ waiter: Race<Reply>) {
        waiting.leave(waiter, at: clock.monotonic())
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
        if let receives = observer.receives, case .array(let parts) = reply, let kind = parts.first?.text {
            if kind == "message" || kind == "subscribe" { receives(reply) }
            if kind == "message" { return }
        }
        guard let first = waiting.popFirst() else {
            return end(SourceError("\(settings.url.authority) sent a reply to no command"), context)
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
        watch.cancel(on: clock)
        let waiters = waiting.removeAll()
        observer.ends(error)
        for waiter in waiters { waiter.finish(.failure(error)) }
        context.close(promise: nil)
    }
}

extension CommandHandler {
    /// Checks whether a command has waited too long.
    private func look(rung moment: Timestamp) {
        watch.end(moment)
        guard failure == nil, let context else { return }
        switch waiting.verdict(at: clock.monotonic()) {
        case .idle: break
        case .wait(let rest): look(after: rest, context)
        case .late: end(settings.late, context)
        case .occupied: end(settings.occupied, context)
        }
    }

    private func look(after delay: Duration, _ context: ChannelHandlerContext) {
        let eventLoop = context.eventLoop
        let handler = NIOLoopBound(self, eventLoop: eventLoop)
        watch.set(at: clock.now + delay, on: clock) { moment in
            eventLoop.execute { handler.value.look(rung: moment) }
        }
    }
}

extension ReplyReader {
    /// Takes the readable bytes of `buffer`.
    func feed(_ buffer: ByteBuffer) throws {
        try buffer.withUnsafeReadableBytes { try feed($0) }
    }
}
