public import Pipeline

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
