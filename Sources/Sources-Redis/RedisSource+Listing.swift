public import Pipeline

extension RedisSource {
    /// The number of bytes at the end of a copy in which its metadata usually stand; of one with more, all is read.
    private static let usualTrailer = 4_096

    /// The number of the server's names that are looked at, and the time for it, so that `limit` copies are found: others may share the
    /// database. Never for so long that the tier's time to answer ends it: what was found is told.
    private static func bounds(for limit: Int) -> (names: Int, time: Duration) {
        let limit = min(limit, 1_000_000)
        return (max(1_000 * limit, 10_000), min(max(.milliseconds(10 * limit), .seconds(1)), .seconds(10)))
    }

    /// Lists the copies of `pipeline` by what stands at the end of each; their payloads stay on the server. Looks through the names of the
    /// keys of the server's database, in steps, until there are enough copies or it has taken too long.
    public func contents(of pipeline: String, limit: Int) async throws -> CacheContents? {
        var found: Set<Key> = []
        var copies: [CacheContents.Copy] = []
        var isComplete = true
        if let copy = try await copy(of: Key(pipeline: pipeline)) { copies.append(copy) }
        let bounds = Self.bounds(for: limit)
        let end = clock.monotonic() + bounds.time
        var room = bounds.names
        try await scan(names.pattern(ofParametersOf: pipeline)) { _, keys, looked in
            room -= looked
            if room < 0 || clock.monotonic() > end { isComplete = false }
            for name in keys {
                // The server may give a name twice.
                guard let key = names.key(ofCopyAt: name), found.insert(key).inserted else { continue }
                if copies.count > limit { isComplete = false } else if let copy = try await copy(of: key) { copies.append(copy) }
            }
            return isComplete
        }
        return CacheContents(copies, limit: limit, hasMore: !isComplete)
    }

    /// The copy of `key`; nil if there is none, or none that a cache wrote.
    private func copy(of key: Key) async throws -> CacheContents.Copy? {
        let name = Command.Argument.text(names.copy(of: key))
        guard case .integer(let length) = try await reply(to: Command("STRLEN", name), for: key), length > 0 else { return nil }
        for most in [Self.usualTrailer, StoredEntry.mostBytes] {
            let range = Command("GETRANGE", name, .text("-\(most)"), "-1", replyLimit: most + 64)
            guard case .bytes(let end) = try await reply(to: range, for: key), end.count <= Int(length) else { return nil }
            guard let (entry, size) = try? StoredEntry.trailer(in: end, after: Int(length) - end.count) else { continue }
            return CacheContents.Copy(key: key, entry: clock.restored(size == nil ? entry : entry.withEmptyPayload), size: size ?? 0)
        }
        return nil
    }
}

extension Entry {
    fileprivate var withEmptyPayload: Entry {
        var entry = self
        entry.payload = []
        return entry
    }
}
