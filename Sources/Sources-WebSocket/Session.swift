import NIOCore
import NIOPosix
import NIOSSL
import NIOWebSocket
import Pipeline
internal import PipelineConfig
import PipelineLive
import PipelineSockets

/// One connection, from the attempt to open it to its end. It lives on its event loop.
final class Session {
    let opening: Opening
    let settings: WebSocketSettings
    let clock: PipelineClock
    /// Indicates whether it ends when the stream has begun.
    let isTrial: Bool
    let listener: LiveListener
    private let eventLoop: any EventLoop
    private let ended: EventLoopPromise<LiveEnding>
    /// Cancelled when the stream begins, and with the session.
    private var limit: Alarm?
    /// Leaves the server, with a close frame where one can be sent.
    private var leave: ((CloseCode?) -> Void)?
    private(set) var isOver = false
    /// The step that has not come when the time is up, and the advice for it.
    private var awaited: (words: String, help: String?)

    init(
        _ opening: Opening, settings: WebSocketSettings, clock: PipelineClock, isTrial: Bool, listener: LiveListener,
        ended: EventLoopPromise<LiveEnding>
    ) {
        self.opening = opening
        self.settings = settings
        self.clock = clock
        self.isTrial = isTrial
        self.listener = listener
        self.ended = ended
        eventLoop = ended.futureResult.eventLoop
        awaited = ("no connection to \(opening.url.authority)", nil)
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - context: nil for a connection without TLS.
    ///   - descriptor: counts the connection until it is closed, which may be after the end of the session: a server takes part in that.
    func start(_ context: NIOSSLContext?, _ descriptor: DescriptorPermit) {
        guard !isOver else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        limit = clock.alarms.set(at: clock.now + settings.connectTimeout) { [eventLoop] in
            eventLoop.execute { bound.value.passLimit() }
        }
        ClientBootstrap(group: eventLoop)
            .resolver(HostResolver(on: eventLoop))
            .connectTimeout(.nanoseconds(settings.connectTimeout.saturatedNanoseconds))
            .connect(host: opening.url.hostToResolve, port: opening.url.port)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    channel.closeFuture.whenComplete { _ in descriptor.giveBack() }
                    self.take(channel, context)
                case .failure(let error):
                    descriptor.giveBack()
                    self.fail(error)
                }
            }
    }

    private func take(_ channel: any Channel, _ context: NIOSSLContext?) {
        guard !isOver, channel.isActive else {
            channel.close(promise: nil)
            return fail(ChannelError.eof)
        }
        closes { _ in channel.close(promise: nil) }
        awaits("no answer to the handshake from \(opening.place)")
        do {
            let pipeline = channel.pipeline.syncOperations
            if let context { try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: opening.url.serverName)) }
            try pipeline.addHandler(HandshakeHandler(self, isSecure: context != nil))
        } catch {
            fail(error)
        }
    }

    /// Lets `leave` end the connection from now on.
    func closes(_ leave: @escaping (CloseCode?) -> Void) { self.leave = leave }

    /// Lets `words` say from now on what has not come in time, and `help` what can be done about it.
    func awaits(_ words: String, help: String? = nil) { awaited = (words, help) }

    /// Notes that the stream has begun.
    func begin() {
        if let limit { clock.alarms.cancel(limit) }
        limit = nil
        if isTrial { end(LiveEnding(.ended, "it works"), closing: .normal) } else { listener.begin() }
    }

    private func passLimit() {
        limit = nil
        let words = "\(awaited.words) within \(settings.connectTimeout.spelling)"
        end(.failure(SourceError(words, kind: .timeout, help: awaited.help)), closing: .normal)
    }

    /// Ends the session with what the network reports.
    func fail(_ error: any Error) {
        let closed = "the connection was closed by \(opening.url.authority)"
        end(.failure(ConnectionFailure(opening.url, closed: closed, plain: "ws").error(for: error)), closing: nil)
    }

    /// Ends the session so.
    func end(_ ending: LiveEnding, closing code: CloseCode?) { end(.success(ending), closing: code) }

    /// Leaves the session.
    func cancel() { end(.failure(CancellationError()), closing: .normal) }

    /// Ends the session; the first ending counts. Nothing is reported after it.
    private func end(_ result: Result<LiveEnding, any Error>, closing code: CloseCode?) {
        guard !isOver else { return }
        isOver = true
        if let limit { clock.alarms.cancel(limit) }
        leave?(code)
        leave = nil
        ended.completeWith(result)
    }
}
