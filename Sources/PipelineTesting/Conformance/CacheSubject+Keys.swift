import Pipeline

extension CacheSubject {
    static let keyChecks: [ConformanceCheck<CacheSubject>] = [
        ConformanceCheck("odd keys") { cache, findings in
            var written: [OddKey] = []
            for odd in OddKey.all {
                do {
                    try await cache.write(odd.label, for: odd.key)
                    written.append(odd)
                } catch {
                    findings.note("a key with \(odd.label) cannot be written: \(error)")
                }
            }
            await cache.expect(written, toBeKeptIn: findings)

            let removed = written.indices.filter { $0.isMultiple(of: 2) }.map { written[$0] }
            let kept = written.indices.filter { !$0.isMultiple(of: 2) }.map { written[$0] }
            for odd in removed {
                try await cache.source.remove(odd.key)
                let found = try await cache.text(for: odd.key)
                findings.expect(found == nil, "a key with \(odd.label) was removed and gave \(found.inWords)")
            }
            await cache.expect(kept, toBeKeptIn: findings)
        }
    ]

    static let clearingChecks: [ConformanceCheck<CacheSubject>] = [
        ConformanceCheck("clear") { cache, findings in
            let cleared = [
                Key(pipeline: "friends"),
                Key(pipeline: "friends", parameters: ["user": "42"]),
                Key(pipeline: "friends", parameters: ["user": "é/.."]),
                Key(pipeline: "friends", parameters: ["user": "42", "page": "2"]),
            ]
            let others = [
                Key(pipeline: "friend"),
                Key(pipeline: "friends2"),
                Key(pipeline: "friends-of", parameters: ["user": "42"]),
                Key(pipeline: "friends,user=42"),
                Key(pipeline: "Friends", parameters: ["user": "42"]),
                Key(pipeline: "friend%", parameters: ["user": "42"]),
                Key(pipeline: "friend_", parameters: ["user": "42"]),
                Key(pipeline: "*", parameters: ["user": "42"]),
                Key(pipeline: "all", parameters: ["pipeline": "friends"]),
            ]
            for key in cleared + others { try await cache.write(key.text, for: key) }

            for pipeline in ["unknown", "", "friends*", "friend%", "friends_"] {
                try await cache.source.clear(pipeline: pipeline)
            }
            try await cache.write("friend%", for: Key(pipeline: "friend%", parameters: ["user": "42"]))
            for key in cleared {
                let found = try await cache.text(for: key)
                findings.expect(found == key.text, "clearing other pipelines left \(found.inWords) of the key `\(key)`")
            }

            try await cache.source.clear(pipeline: "friends")
            for key in cleared {
                let found = try await cache.text(for: key)
                findings.expect(found == nil, "clearing `friends` left the key `\(key)`")
            }
            for key in others {
                let found = try await cache.text(for: key)
                findings.expect(found != nil, "clearing `friends` took the key `\(key)` of the pipeline `\(key.pipeline)`")
            }
            try await cache.write("again", for: cache.key)
            let again = try await cache.text(for: cache.key)
            findings.expect(again == "again", "a key written after a clear gave \(again.inWords)")
        }
    ]

    private func expect(_ keys: [OddKey], toBeKeptIn findings: Findings) async {
        for odd in keys {
            do {
                switch try await text(for: odd.key) {
                case odd.label: break
                case let other?: findings.note("a key with \(odd.label) reads back what was written for a key with \(other)")
                case nil: findings.note("a key with \(odd.label) was written and is not there")
                }
            } catch {
                findings.note("a key with \(odd.label) cannot be read: \(error)")
            }
        }
    }
}

extension CacheSubject {
    /// The checks for caches that say they list their keys.
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

    /// The checks for caches that list their keys and keep metadata.
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

/// Values that a source may confuse, shorten, or take for something to act on.
struct OddKey: Sendable {
    let label: String
    let key: Key

    /// Keys of one pipeline that all differ.
    static let all: [OddKey] =
        values.map { label, value in OddKey(label: label, key: Key(pipeline: "odd", parameters: ["user": value])) } + [
            OddKey(label: "no parameter", key: Key(pipeline: "odd")),
            OddKey(label: "a=\"x\" and b=\"yz\"", key: Key(pipeline: "odd", parameters: ["a": "x", "b": "yz"])),
            OddKey(label: "a=\"xy\" and b=\"z\"", key: Key(pipeline: "odd", parameters: ["a": "xy", "b": "z"])),
            OddKey(label: "a=\"x,b=yz\"", key: Key(pipeline: "odd", parameters: ["a": "x,b=yz"])),
            OddKey(label: "the pipeline `odd,user=a`", key: Key(pipeline: "odd,user=a")),
            OddKey(label: "the pipeline `..`", key: Key(pipeline: "..", parameters: ["user": "a"])),
        ]

    /// `existing` with each odd value in all its parameters; none when it has no parameter.
    static func variations(of existing: Key) -> [OddKey] {
        guard !existing.parameters.isEmpty else { return [] }
        return values.compactMap { label, value in
            let parameters = existing.parameters.map { Parameter(name: $0.name, value: value) }
            let key = Key(pipeline: existing.pipeline, parameters: parameters)
            return key == existing ? nil : OddKey(label: label, key: key)
        }
    }

    private static let values: [(label: String, value: String)] =
        [
            "", " ", "/", "..", ".", "../../odd", "a", "A", "a/b", "a%2Fb", "a%2fb", "%", "a\\b", "~", "*", ":", "-", "--help",
            "?user=a#b", "{key}", "${HOME}", "' OR 1=1 --", "\"", "a,b", "a=b", "a\nb", "a\r\nb", "👩‍👩‍👧", "null", "0", "00",
        ].map { ($0.debugDescription, $0) } + [
            ("NUL", "\0"),
            ("a NUL at the end", "a\0"),
            ("\"é\" as one scalar", "\u{E9}"),
            ("\"é\" as two scalars", "e\u{301}"),
            ("5,000 bytes", String(repeating: "a", count: 5_000)),
            ("5,000 bytes that differ in the last", String(repeating: "a", count: 4_999) + "b"),
        ]
}
