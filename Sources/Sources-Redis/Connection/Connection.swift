import NIOCore
import Pipeline

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

    /// What comes first. Tells the connection when the caller leaves before.
    private func value(of waiter: Race<Reply>, until limit: Timestamp? = nil) async throws -> Reply {
        try await waiter.value(until: limit, on: clock) { [sender] in sender.leave(waiter) }
    }

    func close() async {
        try? await channel.close()
    }
}
