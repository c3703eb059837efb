public import Pipeline

extension RedisSource {
    /// Connects anew, authenticates, selects the database and asks for a sign of life; then whether it may do what `invalidation` and
    /// `shared_flight` need. Changes nothing on the server.
    public func check() async throws -> Reachability {
        let connection = try await connector.connect()
        let lacks: [String]
        do {
            lacks = try await [renewalLack(on: connection), listingLack(on: connection)].compactMap(\.self)
            if sharedFlight != nil { try await checkLeases(on: connection) }
            if publishes { try await checkPublishing(on: connection) }
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
        return lacks.isEmpty ? .reachable : .limited(lacks.joined(separator: "; "))
    }

    // Does what a renewal does, with a copy that is not there: `XX` sets nothing, and neither does an empty range.
    private static let renewalTrial = """
        redis.call('GETRANGE', KEYS[1], 0, 1)
        redis.call('STRLEN', KEYS[1])
        redis.call('SETRANGE', KEYS[1], 0, '')
        redis.call('SET', KEYS[1], '', 'XX')
        redis.call('PEXPIRE', KEYS[1], '1')
        return redis.call('PERSIST', KEYS[1])
        """

    /// The reason why a renewal fails, and what would help; nil if nothing speaks against it.
    private func renewalLack(on connection: Connection) async throws -> String? {
        try await lack(of: [Command("EVAL", .text(Self.renewalTrial), "1", .text(trialName))], names.renewing, on: connection)
    }

    /// The reason why a listing fails, and what would help; nil if nothing speaks against it.
    private func listingLack(on connection: Connection) async throws -> String? {
        let name = Command.Argument.text(trialName)
        let commands = [
            Command("SCAN", "0", "MATCH", .text(GlobPattern.literal(trialName)), "COUNT", "1"), Command("STRLEN", name),
            Command("GETRANGE", name, "-1", "-1"),
        ]
        return try await lack(of: commands, names.listing, on: connection)
    }

    private func lack(of commands: [Command], _ permission: Permission, on connection: Connection) async throws -> String? {
        do {
            for command in commands { _ = try await connection.reply(to: command, needing: permission) }
            return nil
        } catch let error as SourceError where error.kind == .refused {
            return error.reason + (error.help.map { ": \($0)" } ?? "")
        }
    }

    // No key of a copy has this text.
    private var trialName: String { names.lease(of: Key(pipeline: "")) + sender }

    // Runs the commands that take and give back a lease, with a lease that is not held: `XX` sets nothing that does not exist.
    private static let leaseTrial = """
        redis.call('GET', KEYS[1])
        redis.call('PTTL', KEYS[1])
        redis.call('SET', KEYS[1], ARGV[1], 'XX', 'PX', '1')
        return redis.call('UNLINK', KEYS[1])
        """

    private func checkLeases(on connection: Connection) async throws {
        _ = try await connection.reply(
            to: Command("EVAL", .text(Self.leaseTrial), "1", .text(trialName), .text(sender)), needing: names.leasing)
    }

    private func checkPublishing(on connection: Connection) async throws {
        // Subscribers ignore what is not an invalidation message.
        let text = "1 \(sender) check"
        _ = try await connection.reply(to: Command("PUBLISH", .text(names.channel), .text(text)), needing: names.publishing)
        // At last: on a connection that has subscribed nothing else is answered.
        _ = try await connection.reply(to: Command("SUBSCRIBE", .text(names.channel)), needing: names.subscribing)
    }
}
