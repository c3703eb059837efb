import NIOCore
import Pipeline

/// An open connection, on which any number of commands may be under way.
struct Connection: Sendable {
    let channel: any Channel
    let settings: RedisSettings
    var ending = Ending()

    /// Sends a command now; its reply comes to the result, after those of all commands that were sent before.
    func submit(_ command: Command) -> Race<Reply> {
        let waiter = Race<Reply>()
        channel.writeAndFlush(Request(command: command, waiter: waiter)).whenFailure { [settings, ending] _ in
            waiter.finish(.failure(ending.error ?? settings.cutOff))
        }
        return waiter
    }

    /// The reply to a command. Throws what the server answers instead.
    ///
    /// A caller that is cancelled leaves at once. Whether the command was carried out is not known then; commands that are sent
    /// later on this connection are carried out after it.
    func reply(to command: Command) async throws -> Reply {
        try await reply(of: submit(command))
    }

    func reply(of waiter: Race<Reply>) async throws -> Reply {
        let reply = try await waiter.value()
        if case .error(let text) = reply { throw SourceError(text, from: settings.url.authority) }
        return reply
    }

    /// Returns when the server has answered at all.
    func ping() async throws {
        try await expectAnswer(to: submit(.ping))
    }

    /// A user who may not ask for a sign of life gets one by being told so.
    func expectAnswer(to waiter: Race<Reply>) async throws {
        let reply = try await waiter.value()
        guard case .error(let text) = reply, !text.hasPrefix("NOPERM") else { return }
        throw SourceError(text, from: settings.url.authority)
    }

    func close() async {
        try? await channel.close()
    }
}
