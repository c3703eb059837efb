import Pipeline

extension CacheSubject {
    /// For caches that say they list their keys.
    static let listingChecks: [ConformanceCheck<CacheSubject>] = [
        ConformanceCheck("listing") { cache, findings in
            let users = ["1", "2", "3"]
            let keys = users.map { Key(pipeline: "friends", parameters: ["user": $0]) } + [Key(pipeline: "friends")]
            for key in keys { try await cache.write(key.text, for: key) }
            try await cache.write("another", for: Key(pipeline: "friends2", parameters: ["user": "1"]))
            try await cache.source.remove(keys[1])
            let expected = [keys[0], keys[2], keys[3]].sorted { $0.text < $1.text }

            guard let all = try await cache.source.contents(of: "friends", limit: 10) else {
                return findings.note("its plugin says that it lists keys, and it lists none")
            }
            let names = all.copies.map(\.name).joined(separator: " ")
            findings.expect(all.copies.map(\.key) == expected, "of three keys it listed `\(names)`")
            findings.expect(!all.hasMore, "it listed all keys and says that it has more")
            for copy in all.copies {
                let (size, actual) = (copy.size, copy.key?.text.utf8.count ?? 0)
                findings.expect(size == actual, "it listed a payload of \(actual) bytes as one of \(size)")
                findings.expect(
                    copy.entry.created == cache.clock.now || copy.entry.stored != nil, "it listed `\(copy.name)` without its times")
            }

            let some = try await cache.source.contents(of: "friends", limit: 2)
            findings.expect(some?.copies.count == 2, "it listed \(some?.copies.count ?? 0) keys where two of three were asked for")
            findings.expect(some?.hasMore == true, "it listed two of three keys and does not say that it has more")
            let none = try await cache.source.contents(of: "friend", limit: 2)
            findings.expect(none?.copies.isEmpty == true, "it listed keys of a pipeline that has none")
        }
    ]

    /// For those of them that keep metadata.
    static let listedMetadataChecks: [ConformanceCheck<CacheSubject>] = [
        ConformanceCheck("listing metadata") { cache, findings in
            let full = cache.entryWithMetadata
            try await cache.source.write(full, for: cache.key)
            let listed = try await cache.source.contents(of: cache.key.pipeline, limit: 10)?.copies.first { $0.key == cache.key }
            findings.expect(listed?.entry.variant == full.variant, "it listed a copy without its `variant`")
            findings.expect(listed?.entry.source == full.source, "it listed a copy without its `source`")
        }
    ]
}
