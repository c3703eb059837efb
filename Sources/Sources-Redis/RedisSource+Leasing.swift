public import Pipeline

extension RedisSource {
    /// The way in which loads are shared, as the field `shared_flight` says.
    public var sharedFlight: SharedFlight? { settings.sharedFlight }

    // The server runs a script as one step, so that no other client comes between reading and setting.
    private static let take = """
        local holder = redis.call('GET', KEYS[1])
        if holder and holder ~= ARGV[1] then
            local left = redis.call('PTTL', KEYS[1])
            if left < 0 or left > tonumber(ARGV[2]) then redis.call('SET', KEYS[1], holder, 'PX', ARGV[2]) end
            return 0
        end
        redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
        return 1
        """

    private static let release = """
        if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('UNLINK', KEYS[1]) end
        return 0
        """

    private static let releaseFruitless = """
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
        redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
        return redis.call('UNLINK', KEYS[1])
        """

    /// Takes the lease on the server, whose clock ends it. One that lasts for ever, or for too long, is cut: another program set it.
    public func takeLease(of key: Key, for holder: String, lasting duration: Duration) async throws -> Bool {
        let life = max(1, duration.wholeMilliseconds)
        let command = Command("EVAL", .text(Self.take), "1", .text(names.lease(of: key)), .text(holder), .text("\(life)"))
        return try await reply(to: command, for: key, needing: names.leasing) == .integer(1)
    }

    /// Releases the lease; the lease of another holder stays. Stores the name of the holder of a fruitless one on the server.
    public func releaseLease(of key: Key, by holder: String, fruitlessFor duration: Duration?) async throws {
        let lease = Command.Argument.text(names.lease(of: key))
        let command =
            if let duration {
                Command(
                    "EVAL", .text(Self.releaseFruitless), "2", lease, .text(names.fruitlessLease(of: key)), .text(holder),
                    .text("\(max(1, duration.wholeMilliseconds))"))
            } else {
                Command("EVAL", .text(Self.release), "1", lease, .text(holder))
            }
        _ = try await reply(to: command, for: key, needing: names.leasing)
    }

    /// The name that the server has.
    public func lastFruitlessHolder(of key: Key) async throws -> String? {
        let reply = try await reply(to: Command("GET", .text(names.fruitlessLease(of: key))), for: key)
        switch reply {
        case .none: return nil
        case .bytes: return reply.text
        default: throw unexpected(reply)
        }
    }
}
