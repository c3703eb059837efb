internal import NIOCore
internal import NIOPosix
internal import Pipeline
private import Synchronization

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// Accepts no connection while there is no room for one: a socket that is readable and is not accepted would keep the server busy for
/// nothing.
final class ListenerGate: ChannelDuplexHandler, Sendable {
    typealias InboundIn = any Channel
    typealias OutboundIn = Never

    private struct State {
        var isFull = false
        var isPaused = false
        /// Indicates whether the channel asked to read meanwhile.
        var wantsRead = false
        /// Indicates whether an alarm is set that looks for a connection to send away.
        var isLooking = false
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
        let admission = table.accept(at: clock.now)
        if case .open = admission { open(context.channel) } else { wait(admission) }
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

    /// Opens the gate: there is room for another connection.
    func open(_ channel: any Channel) {
        change(channel) { $0.isFull = false }
    }

    /// Looks again when a connection can be sent away. The table tells when there is room.
    private func wait(_ admission: ConnectionTable.Admission) {
        guard case .full(let end) = admission else { return }
        tell("\(limits.connections) connections have a request under way: new ones wait; a higher `ulimit -n` allows more")
        guard let end else { return }
        let isLooking = state.withLock { state in
            defer { state.isLooking = true }
            return state.isLooking
        }
        guard !isLooking else { return }
        _ = clock.alarms.set(at: end) { [self] in
            state.withLock { $0.isLooking = false }
            wait(table.makeRoom(at: clock.now))
        }
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

/// The reason why the server does not run, in words for people.
package struct ListenFailure {
    package let message: String
    package let help: String?

    package init(_ error: any Error, host: String, port: Int) {
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        if let (reason, help) = Self.words(for: error, port: port) {
            (message, self.help) = ("cannot listen on \(place): \(reason)", help)
        } else {
            (message, help) = ("the server ended: \(error)", nil)
        }
    }

    private static func words(for error: any Error, port: Int) -> (String, String?)? {
        switch error {
        case let error as IOError:
            switch error.errnoCode {
            case EADDRINUSE: ("the port is in use", "`--port 0` takes a free one")
            case EADDRNOTAVAIL:
                ("it is not an address of this machine", "`--host 127.0.0.1` serves this machine, `--host 0.0.0.0` all others, too")
            case EACCES: ("not permitted", port < 1024 ? "ports below 1024 are for the superuser; `--port 8080` is free to all" : nil)
            default: (String(cString: strerror(error.errnoCode)).lowercased(), nil)
            }
        case is SocketAddressError, is SocketAddressError.UnknownHost:
            ("the host is unknown", "`--host` takes an address of this machine, such as 127.0.0.1")
        default: nil
        }
    }
}
