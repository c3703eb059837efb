public import Pipeline
public import PipelineConfig

/// A cache on a Redis or Valkey server, shared by processes and machines.
///
/// While the server is away everything fails at once, and it is used again by itself when it is back. A write whose answer did not
/// come in time may have been carried out.
public final class RedisSource: SharedSource {
    let settings: RedisSettings
    let clock: PipelineClock
    let names: KeySpace
    let connector: Connector
    let subscribers = Subscribers()
    /// Tells the messages of this source from those of others.
    let sender: String
    private let links: [Link]
    /// The time limit of a write, which has no waiting caller. Reads on the same connection wait behind it.
    private static let longestWrite = Duration.seconds(30)
    /// The time for which the server keeps an entry that can no longer be served, so that its origin can confirm it.
    private static let confirmable = Duration.seconds(86_400)

    /// A cache on the server at `url`. Nothing is opened before the first use.
    ///
    /// - Parameters:
    ///   - prefix: begins the name of every key on the server; sources with the same one share their copies.
    ///   - timeout: how long connecting may take; afterwards the longest silence while sending a command or receiving a reply. The caller
    ///     bounds the sum; a write has 30 seconds, or this where it is longer.
    ///   - pool: how many connections carry the commands.
    ///   - caFile: is trusted instead of the system's certificates, with `rediss`.
    ///   - publishes: whether this process publishes what it removed or changed, and subscribes to the others.
    ///   - sharedFlight: how processes share loads, or nil if they do not.
    ///   - longestStale: how long after its expiry an entry may be served, where its origin allows no longer time.
    ///   - random: decides how long the pauses between two attempts to connect are.
    public convenience init(
        url: RedisURL, prefix: String = "pipe-run:", timeout: Duration = .seconds(1), pool: Int = 1, caFile: CertificateFile? = nil,
        publishes: Bool = false, sharedFlight: SharedFlight? = nil, longestStale: Duration = .zero, clock: PipelineClock = .system,
        random: RandomGenerator = .system
    ) {
        let settings = RedisSettings(
            url: url, prefix: prefix, timeout: timeout, pool: pool, caFile: caFile, publishes: publishes, sharedFlight: sharedFlight,
            longestStale: longestStale)
        self.init(settings, clock: clock, random: random)
    }

    init(_ settings: RedisSettings, clock: PipelineClock, random: RandomGenerator = .system) {
        self.settings = settings
        self.clock = clock
        names = KeySpace(prefix: settings.prefix, database: settings.url.database)
        connector = Connector(settings: settings, clock: clock, random: random)
        links = (0..<max(1, settings.pool)).map { [connector] _ in Link(connector) }
        sender = UniqueName.next()
    }

    /// `ReadStyle.punctual`.
    public var style: ReadStyle { .punctual }

    /// The entry of `key`, or nil if the server has none. Throws a `SourceError` of an invalid copy when something else is stored there.
    public func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        let command = Command("GET", .text(names.copy(of: key)), replyLimit: StoredEntry.mostBytes + 64)
        let reply = try await reply(to: command, for: key, until: context.deadline)
        // What holds the value must not hold it while it becomes the payload, or that would be a copy.
        switch consume reply {
        case .none: return nil
        case .bytes(let value): return clock.restored(try StoredEntry.entry(in: value))
        case let other: throw unexpected(other)
        }
    }

    /// Stores the entry for as long as it can be served, stale or not, and for a day more where its origin can confirm it; the server forgets
    /// it then by itself. Throws a `SourceError` of the kind `notKept` for one that is larger than 64 MiB, or of no use any more.
    public func write(_ entry: Entry, for key: Key) async throws {
        let trailer = StoredEntry.trailer(of: clock.stored(entry))
        guard (entry.payload?.count ?? 0) + trailer.count <= StoredEntry.mostBytes else {
            // The entry before it goes all the same: it is not the value any more.
            try await remove(key)
            throw SourceError("larger than \(Size.mebibytes(StoredEntry.mostBytes >> 20).written ?? "what is kept")", kind: .notKept)
        }
        var arguments: [Command.Argument] = ["SET", .text(names.copy(of: key)), .pair(entry.payload ?? [], trailer)]
        if let life = life(of: entry) {
            guard life > .zero else {
                try await remove(key)
                throw SourceError("expired already", kind: .notKept)
            }
            arguments += ["PX", .text("\(life.wholeMilliseconds)")]
        }
        _ = try await written(Command(arguments), for: key)
    }

    /// The time for which the server keeps `entry` from now on; nil without a limit, and not above zero for one that is of no use any more.
    private func life(of entry: Entry) -> Duration? {
        guard let freshUntil = entry.freshUntil else { return nil }
        let stale = entry.isNotFound ? nil : entry.cacheControl?.longestStale
        let served = (freshUntil + max(settings.longestStale, stale ?? .zero)).duration(since: clock.now)
        return entry.isNotFound || !entry.hasValidator ? served : max(served, .zero) + Self.confirmable
    }

    /// The reply to a command that writes.
    private func written(_ command: Command, for key: Key) async throws -> Reply {
        let late = SourceError("\(settings.url.authority) did not take the entry in time", kind: .timeout)
        let end = clock.now + max(Self.longestWrite, settings.timeout)
        return try await clock.race(until: end, late: { throw late }) { try await self.reply(to: command, for: key) }
    }

    // The server runs a script whole, so that no other command runs between reading and setting.
    private static let renewal = """
        local size, looked = tonumber(ARGV[1]), tonumber(ARGV[2])
        if redis.call('GETRANGE', KEYS[1], looked, looked + #ARGV[3] - 1) ~= ARGV[3] then return 0 end
        if redis.call('STRLEN', KEYS[1]) == size + #ARGV[4] then
            redis.call('SETRANGE', KEYS[1], size, ARGV[4])
        else
            local payload = size > 0 and redis.call('GETRANGE', KEYS[1], 0, size - 1) or ''
            redis.call('SET', KEYS[1], payload .. ARGV[4])
        end
        if ARGV[5] then redis.call('PEXPIRE', KEYS[1], ARGV[5]) else redis.call('PERSIST', KEYS[1]) end
        return 1
        """

    /// Sends what follows the payload, and has the server put it in the place of what followed it before. False, so that all of the entry
    /// is written, also where the server does not run the script.
    public func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        let known = StoredEntry.identity(of: clock.stored(held))
        var arguments: [Command.Argument] = [
            "EVAL", .text(Self.renewal), "1", .text(names.copy(of: key)), .text("\(held.payload?.count ?? 0)"), .text("\(known.offset)"),
            .bytes(known.bytes), .bytes(StoredEntry.trailer(of: clock.stored(entry))),
        ]
        if let life = life(of: entry) {
            // The write forgets it, and says so.
            guard life > .zero else { return false }
            arguments.append(.text("\(life.wholeMilliseconds)"))
        }
        do {
            return try await written(Command(arguments), for: key) == .integer(1)
        } catch let error as SourceError where error.kind != .timeout {
            return false
        }
    }

    /// Deletes the copy of `key`.
    public func remove(_ key: Key) async throws {
        _ = try await reply(to: Command("UNLINK", .text(names.copy(of: key))), for: key)
    }

    /// Opens every connection.
    public func connect() async throws {
        for link in links { _ = try await link.connection() }
    }

    /// Closes every connection. What waits for a reply fails, and so does every later use.
    public func close() async {
        subscribers.close()
        for link in links { await link.close() }
    }
}

extension RedisSource {
    /// The number of keys that are looked at, and deleted, with one command: the server does nothing else meanwhile.
    private static let batch = 500

    /// Deletes the copies of `pipeline`, a batch at a time. What is written meanwhile may be deleted, too.
    public func clear(pipeline: String) async throws {
        // Writes whose callers have left may still be on their way, on other connections.
        for link in links.dropFirst() { await link.settle() }
        try await remove(Key(pipeline: pipeline))
        try await scan(names.pattern(ofParametersOf: pipeline)) { link, keys, _ in
            // What is no key of ours is not ours to delete.
            let keys = keys.filter { names.key(ofCopyAt: $0) != nil }
            if keys.isEmpty { return true }
            _ = try await link.reply(to: Command(["UNLINK"] + keys.map { .bytes($0) }))
            return true
        }
    }

    /// Gives the names on the server that match `pattern`, a batch at a time and perhaps some twice, and how many it looked at for that, until
    /// `body` returns false.
    func scan(_ pattern: String, _ body: (Link, [[UInt8]], _ looked: Int) async throws -> Bool) async throws {
        guard let link = links.first else { return }
        var cursor = "0"
        repeat {
            let reply = try await link.reply(
                to: Command("SCAN", .text(cursor), "MATCH", .text(pattern), "COUNT", .text("\(Self.batch)"), replyLimit: 16 << 20))
            guard case .array(let parts) = reply, parts.count == 2, let next = parts[0].text, case .array(let keys) = parts[1] else {
                throw unexpected(reply)
            }
            let found = keys.compactMap { if case .bytes(let key) = $0 { key } else { nil } }
            if try await !body(link, found, Self.batch) { return }
            cursor = next
        } while cursor != "0"
    }

    /// The reply to a command about `key`. All commands about one key take one connection, and so are carried out in their order.
    func reply(
        to command: Command, for key: Key, needing permission: Permission? = nil, until limit: Timestamp? = nil
    ) async throws -> Reply {
        let number = Int(key.hash % UInt64(links.count))
        return try await links[number].reply(to: command, needing: permission, until: limit)
    }

    func unexpected(_ reply: Reply) -> SourceError {
        SourceError("\(settings.url.authority) sent a reply of an unexpected type")
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up.
    var wholeMilliseconds: Int64 {
        let nanoseconds = saturatedNanoseconds
        return nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 > 0 ? 1 : 0)
    }
}

extension RedisSource {
    /// The most keys of one command: a longer one would keep the commands of others on its connection.
    private static let mostKeys = 100

    /// Several entries with one `MGET`. Something else than a copy is none there. A user who may not use the command gets them one by one.
    public var batching: Batching? {
        Batching(of: nil, most: Self.mostKeys) { [self] keys, context in
            do {
                return try await entries(of: keys, until: context.deadline)
            } catch let error as SourceError where error.kind == .refused {
                return BatchAnswer(await apart(keys, context))
            } catch let error as SourceError where error.cause is ReplyReader.Problem {
                // Together they may be more than is held at a time.
                var results: [Result<Entry?, any Error>] = []
                for key in keys { results.append(await Result { try await read(key, context) }) }
                return BatchAnswer(results)
            }
        }
    }

    private func entries(of keys: [Key], until limit: Timestamp?) async throws -> BatchAnswer {
        let command = Command(
            ["MGET"] + keys.map { .text(names.copy(of: $0)) }, replyLimit: StoredEntry.mostBytes + 64 * keys.count)
        let reply = try await reply(
            to: command, for: keys[0], needing: Permission(deed: "read several copies at once", rules: "+mget"), until: limit)
        guard case .array(let replies) = reply, replies.count == keys.count else { throw unexpected(reply) }
        return BatchAnswer(
            replies.map { reply in
                Result {
                    switch reply {
                    case .none: nil
                    case .bytes(let value): clock.restored(try StoredEntry.entry(in: value))
                    default: throw unexpected(reply)
                    }
                }
            })
    }

    private func apart(_ keys: [Key], _ context: ReadContext) async -> [Result<Entry?, any Error>] {
        await withTaskGroup(of: (Int, Result<Entry?, any Error>).self) { group in
            for (index, key) in keys.enumerated() {
                group.addTask { (index, await Result { try await self.read(key, context) }) }
            }
            return await group.reduce(into: Array(repeating: .success(nil), count: keys.count)) { $0[$1.0] = $1.1 }
        }
    }
}
