import Pipeline

extension CacheSubject {
    static let metadataChecks: [ConformanceCheck<CacheSubject>] = [
        ConformanceCheck("metadata") { cache, findings in
            let full = cache.entryWithMetadata
            let bare = Entry(Array("bare".utf8), created: full.created - .nanoseconds(1))
            var endless = full
            endless.freshUntil = .distantFuture
            for (label, entry) in [("full", full), ("bare", bare), ("endless", endless), ("full", full)] {
                try await cache.source.write(entry, for: cache.key)
                guard let found = try await cache.source.read(cache.key) else {
                    findings.note("an entry with \(label) metadata reads back as a miss")
                    continue
                }
                expect(found, toHaveMetadataOf: entry, findings)
            }
        }
    ]

    static func notFoundChecks(keepsMetadata: Bool) -> [ConformanceCheck<CacheSubject>] {
        [
            ConformanceCheck("not found") { cache, findings in
                var notFound = Entry.notFound(created: cache.clock.now - .nanoseconds(1_234_567_891))
                notFound.stored = cache.clock.now
                notFound.freshUntil = cache.clock.now + .seconds(5)
                for turn in ["a new key", "a value"] {
                    try await cache.source.write(notFound, for: cache.key)
                    guard let found = try await cache.source.read(cache.key) else {
                        findings.note("a not-found entry over \(turn) reads back as a miss")
                        return
                    }
                    findings.expect(found.isNotFound, "a not-found entry over \(turn) reads back as a value")
                    if keepsMetadata { expect(found, toHaveMetadataOf: notFound, findings) }

                    try await cache.write("value", for: cache.key)
                    let value = try await cache.text(for: cache.key)
                    findings.expect(value == "value", "`value` was written over a not-found entry, the read gave \(value.inWords)")
                }
                try await cache.source.write(notFound, for: cache.key)
                try await cache.source.remove(cache.key)
                let removed = try await cache.source.read(cache.key)
                findings.expect(removed == nil, "a not-found entry was removed and is still there")
            }
        ]
    }

    var entryWithMetadata: Entry {
        let now = clock.now
        return Entry(
            Array("value".utf8), created: now - .nanoseconds(61_000_000_007), stored: now - .nanoseconds(1),
            freshUntil: now + .nanoseconds(539_123_456_789), etag: "W/\"33a6 é'\\\"", lastModified: "Wed, 21 Oct 2026 07:28:00 GMT",
            contentType: "application/json; charset=\"utf-8\"", version: "42\n✓", source: "api",
            cacheControl: CacheControl(field: "max-age=60, stale-if-error=5, must-revalidate"), variant: "accept-language 0123456789abcdef")
    }

    private static func expect(_ found: Entry, toHaveMetadataOf written: Entry, _ findings: Findings) {
        func compare<Value: Equatable>(_ name: String, _ value: KeyPath<Entry, Value>) {
            let (before, after) = (written[keyPath: value], found[keyPath: value])
            findings.expect(before == after, "`\(name)` was written as \(before) and reads back as \(after)")
        }
        compare("created", \.created.nanoseconds)
        compare("stored", \.stored?.nanoseconds)
        compare("freshUntil", \.freshUntil?.nanoseconds)
        compare("etag", \.etag)
        compare("lastModified", \.lastModified)
        compare("contentType", \.contentType)
        compare("version", \.version)
        compare("source", \.source)
        compare("cacheControl", \.cacheControl?.text)
        compare("variant", \.variant)
    }
}
