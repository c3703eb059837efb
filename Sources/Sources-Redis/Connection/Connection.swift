import NIOCore
import Pipeline
import Synchronization

/// An open connection, on which any number of commands may be under way.
final class Connection: Sendable {
    let channel: any Channel
    let settings: RedisSettings
    private let clock: PipelineClock
    private let sender: CommandSender
    let backlog: Backlog

    init(channel: any Channel, settings: RedisSettings, clock: PipelineClock, sender: CommandSender, backlog: Backlog) {
        self.channel = channel
        self.settings = settings
        self.clock = clock
        self.sender = sender
        self.backlog = backlog
    }

    /// Sends a command now; its reply comes to the result, after those of all commands that were sent before.
    func submit(_ command: Command) -> Race<Reply> {
        let waiter = Race<Reply>()
        guard backlog.add(command.bytes.readableBytes) else {
            waiter.finish(.failure(settings.overfull))
            return waiter
        }
        sender.send(Request(command: command, waiter: waiter))
        return waiter
    }

    /// The reply to a command. Throws what the server answers instead.
    ///
    /// A caller that is cancelled leaves at once. Whether the command was carried out is not known then; commands that are sent
    /// later on this connection are carried out after it.
    ///
    /// - Parameters:
    ///   - permission: what the command needs that not every user of the server may do.
    ///   - limit: when the caller leaves with ``PastLimit``, nil for one who waits as long as the connection does.
    func reply(to command: Command, needing permission: Permission? = nil, until limit: Timestamp? = nil) async throws -> Reply {
        try await reply(of: submit(command), needing: permission, until: limit)
    }

    func reply(of waiter: Race<Reply>, needing permission: Permission? = nil, until limit: Timestamp? = nil) async throws -> Reply {
        let reply = try await value(of: waiter, until: limit)
        guard case .error(let text) = reply else { return reply }
        let server = settings.url.authority
        throw permission?.refusal(text, from: server) ?? SourceError(text, from: server)
    }

    /// Returns when the server has answered at all.
    func ping() async throws {
        try await expectAnswer(to: submit(.ping))
    }

    /// A user who may not ask for a sign of life gets one by being told so.
    func expectAnswer(to waiter: Race<Reply>) async throws {
        let reply = try await value(of: waiter)
        guard case .error(let text) = reply, !text.hasPrefix("NOPERM") else { return }
        throw SourceError(text, from: settings.url.authority)
    }

    /// The first of the reply and the end of the wait. Tells the connection when the caller leaves before.
    private func value(of waiter: Race<Reply>, until limit: Timestamp? = nil) async throws -> Reply {
        try await waiter.value(until: limit, on: clock) { [sender] in sender.leave(waiter) }
    }

    func close() async {
        try? await channel.close()
    }
}

/// The way from any thread to the handler of one connection.
struct CommandSender: Sendable {
    private let eventLoop: any EventLoop
    private let handler: NIOLoopBound<CommandHandler>
    private let outbox = Outbox()

    /// Makes a connection; to be called in the event loop.
    init(_ handler: CommandHandler, in eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
    }

    /// Sends a command behind all that were sent before. Each asks for a turn of its own, so that none depends on another thread to go on;
    /// the first turn takes all.
    func send(_ request: Request) {
        outbox.add(request)
        eventLoop.execute { handler.value.send(outbox.takeAll()) }
    }

    /// Says that who waited for the reply to a command that was sent has left.
    func leave(_ waiter: Race<Reply>) {
        eventLoop.execute { handler.value.leave(waiter) }
    }
}

/// The commands of one connection on their way to the event loop: those that come before its turn are taken there, and sent, together.
final class Outbox: Sendable {
    private let requests = Mutex<[Request]>([])

    /// Adds a request behind the others.
    func add(_ request: Request) {
        requests.withLock { $0.append(request) }
    }

    /// Takes those that have come, in their order.
    func takeAll() -> [Request] {
        requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }
}

/// A command on its way to the event loop, and who waits for its reply.
struct Request: Sendable {
    let command: Command
    let waiter: Race<Reply>
}

/// The number of bytes that wait to be sent on one connection: a server that takes them slowly costs no more memory than this.
final class Backlog: Sendable {
    /// The most bytes, as many as the largest value has.
    static let most = StoredEntry.mostBytes
    /// Commands without a value, so that values which wait do not keep removals from being sent.
    private static let reserve = 8 << 20
    private static let small = 4_096

    private let waiting = Atomic(0)

    var bytes: Int { waiting.load(ordering: .relaxed) }

    /// Adds a command; false when too much waits already. One that nothing waits before is taken, however large.
    func add(_ count: Int) -> Bool {
        let sum = waiting.add(count, ordering: .relaxed).newValue
        if sum <= Self.most + (count <= Self.small ? Self.reserve : 0) || sum == count { return true }
        remove(count)
        return false
    }

    /// Removes so many bytes that have been sent, or will never be.
    func remove(_ count: Int) {
        waiting.subtract(count, ordering: .relaxed)
    }
}
