public import Pipeline

extension RedisSource {
    /// Connects anew, authenticates, selects the database and asks for a sign of life; then whether it may do what `invalidation` and
    /// `shared_flight` need. Changes nothing on the server.
    public func check() async throws -> Reachability {
        let connection = try await connector.connect()
        do {
            if sharedFlight != nil { try await checkLeases(on: connection) }
            if announces { try await checkAnnouncements(on: connection) }
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
        return .reachable
    }

    // Does what taking a lease and giving it back do, with one that nobody has: `XX` sets nothing that is not there.
    private static let leaseTrial = """
        redis.call('GET', KEYS[1])
        redis.call('PTTL', KEYS[1])
        redis.call('SET', KEYS[1], ARGV[1], 'XX', 'PX', '1')
        return redis.call('UNLINK', KEYS[1])
        """

    private func checkLeases(on connection: Connection) async throws {
        // No key of a copy has this text.
        let name = names.lease(of: Key(pipeline: "")) + sender
        _ = try await connection.reply(
            to: Command("EVAL", .text(Self.leaseTrial), "1", .text(name), .text(sender)), needing: names.leasing)
    }

    private func checkAnnouncements(on connection: Connection) async throws {
        // Whoever listens leaves out what is no announcement.
        let text = "1 \(sender) check"
        _ = try await connection.reply(to: Command("PUBLISH", .text(names.channel), .text(text)), needing: names.publishing)
        // At last: on a connection that has subscribed nothing else is answered.
        _ = try await connection.reply(to: Command("SUBSCRIBE", .text(names.channel)), needing: names.subscribing)
    }
}
