internal import NIOCore
internal import NIOPosix
internal import Pipeline
#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
private import Synchronization

/// Accepts no connection while there is no room for one: a socket that is readable and is not accepted would keep the server busy for
/// nothing.
final class ListenerGate: ChannelDuplexHandler, Sendable {
    typealias InboundIn = any Channel
    typealias OutboundIn = Never

    private struct State {
        var isFull = false
        var isPaused = false
        /// Whether the channel asked to read meanwhile.
        var wantsRead = false
        var saidAt: Timestamp?

        var isShut: Bool { isFull || isPaused }
    }

    private let state = Mutex(State())
    private let table: ConnectionTable
    private let limits: ServerLimits
    private let clock: PipelineClock
    private let say: @Sendable (String) -> Void

    /// - Parameter say: tells people, at most once a minute.
    init(to table: ConnectionTable, _ limits: ServerLimits, clock: PipelineClock, saying say: @escaping @Sendable (String) -> Void) {
        self.table = table
        self.limits = limits
        self.clock = clock
        self.say = say
    }

    func read(context: ChannelHandlerContext) {
        let isShut = state.withLock { state in
            if state.isShut { state.wantsRead = true }
            return state.isShut
        }
        if !isShut { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        unwrapInboundIn(data).closeFuture.whenComplete { [table] _ in table.release() }
        // Shut before it is known whether there is room: that may come at any moment from then on, and opens it.
        state.withLock { $0.isFull = true }
        switch table.accept() {
        case .open: open(context.channel)
        case .makingRoom: break
        case .full: tell("\(limits.connections) connections have a request under way: new ones wait; a higher `ulimit -n` allows more")
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError else { return context.fireErrorCaught(error) }
        switch error.errnoCode {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: pause(context.channel, because: String(cString: strerror(error.errnoCode)).lowercased())
        // The client was gone before it was accepted.
        case ECONNABORTED: break
        default: context.fireErrorCaught(error)
        }
    }

    /// There is room for another connection.
    func open(_ channel: any Channel) {
        change(channel) { $0.isFull = false }
    }

    private func pause(_ channel: any Channel, because reason: String) {
        state.withLock { $0.isPaused = true }
        tell("cannot accept connections: \(reason); new ones wait")
        _ = clock.alarms.set(at: clock.now + limits.pause) { [self] in change(channel) { $0.isPaused = false } }
    }

    private func change(_ channel: any Channel, _ body: @Sendable (inout State) -> Void) {
        let mustRead = state.withLock { state in
            body(&state)
            defer { if !state.isShut { state.wantsRead = false } }
            return state.wantsRead && !state.isShut
        }
        if mustRead { channel.read() }
    }

    private func tell(_ message: String) {
        let now = clock.now
        let isNews = state.withLock { state in
            guard state.saidAt.map({ now.duration(since: $0) >= .seconds(60) }) ?? true else { return false }
            state.saidAt = now
            return true
        }
        if isNews { say(message) }
    }
}
