import Pipeline

/// A cache under check, and shorthands for what its checks do over and over.
struct CacheSubject: ConformanceSubject {
    let source: any WritableSource
    let clock: PipelineClock

    let key = Key(pipeline: "friends", parameters: ["user": "42"])
    let otherKey = Key(pipeline: "friends", parameters: ["user": "43"])

    func close() async { await source.close() }

    func entry(_ text: String) -> Entry { entry(Array(text.utf8)) }

    func entry(_ payload: [UInt8]) -> Entry {
        let now = clock.now
        return Entry(payload, created: now, stored: now, freshUntil: now + .seconds(3_600))
    }

    func write(_ text: String, for key: Key) async throws {
        try await source.write(entry(text), for: key)
    }

    /// The payload stored for `key`, as text; nil on a miss.
    func text(for key: Key) async throws -> String? {
        try await source.read(key).map { Self.text(of: $0) }
    }

    static func text(of entry: Entry) -> String {
        entry.payload.map { String(decoding: $0, as: UTF8.self) } ?? "(not found)"
    }
}

extension String? {
    /// The words for the payload that was read, within a sentence.
    var inWords: String { map { "`\($0)`" } ?? "nothing" }
}

extension CacheSubject {
    static let valueChecks: [ConformanceCheck<CacheSubject>] = [
        ConformanceCheck("miss is nil") { cache, findings in
            let entry = try await cache.source.read(cache.key)
            findings.expect(entry == nil, "a key that was never written gave an entry instead of nil")
            try await cache.write("value", for: cache.otherKey)
            let after = try await cache.text(for: cache.key)
            findings.expect(after == nil, "a key that was never written gave \(after.inWords) after a write of another key")
        },
        ConformanceCheck("write then read") { cache, findings in
            try await cache.write("value", for: cache.key)
            for turn in ["first", "second"] {
                let found = try await cache.text(for: cache.key)
                findings.expect(found == "value", "`value` was written, the \(turn) read gave \(found.inWords)")
            }
            if [.immediate, .onThread].contains(cache.source.style) {
                let peeked = try cache.source.peek(cache.key).map { text(of: $0) }
                findings.expect(peeked == "value", "`value` was written, peek gave \(peeked.inWords)")
            }
        },
        ConformanceCheck("style") { cache, findings in
            guard cache.source is any SharedSource else { return }
            let style = cache.source.style
            findings.expect(
                ![.immediate, .onThread].contains(style),
                "a source that processes share has the style \(style), so it is asked for no lease")
        },
        ConformanceCheck("overwrite") { cache, findings in
            for value in ["a rather long value", "short", "a long value once more", ""] {
                try await cache.write(value, for: cache.key)
                let found = try await cache.text(for: cache.key)
                findings.expect(found == value, "`\(value)` was written over what was there, the read gave \(found.inWords)")
            }
        },
        ConformanceCheck("write of several") { cache, findings in
            try await cache.write("before", for: cache.key)
            let entries = [("first", cache.key), ("second", cache.otherKey)].map { (entry: cache.entry($0), key: $1) }
            let failures = await cache.source.write(entries)
            findings.expect(failures.count == 2, "a write of 2 entries gave \(failures.count) results")
            for failure in failures { if let failure { findings.note("a write of several entries failed with: \(failure)") } }
            for (value, key) in [("first", cache.key), ("second", cache.otherKey)] {
                let found = try await cache.text(for: key)
                findings.expect(found == value, "`\(value)` was written with another entry, the read gave \(found.inWords)")
            }
            let none = await cache.source.write([])
            findings.expect(none.isEmpty, "a write of no entries gave \(none.count) results")
        },
        ConformanceCheck("read of several") { cache, findings in
            guard let batching = cache.source.batching else { return }
            try await cache.write("first", for: cache.key)
            try await cache.write("other", for: cache.otherKey)
            let missing = Key(pipeline: "friends", parameters: ["user": "44"])
            let answer = try await batching.read([cache.otherKey, missing, cache.key], ReadContext())
            let found = try answer.results.map { try $0.get().map { text(of: $0) } }
            findings.expect(
                found == ["other", nil, "first"],
                "a read of three keys, the second of which has no value, gave \(found.map(\.inWords).joined(separator: ", ")), not `other`, nothing, `first`"
            )
        },
        ConformanceCheck("remove") { cache, findings in
            try await cache.write("value", for: cache.key)
            try await cache.write("other", for: cache.otherKey)
            try await cache.source.remove(cache.key)
            let removed = try await cache.text(for: cache.key)
            findings.expect(removed == nil, "a removed key gave \(removed.inWords)")
            let other = try await cache.text(for: cache.otherKey)
            findings.expect(other == "other", "removing one key left \(other.inWords) of another, which held `other`")
            try await cache.write("again", for: cache.key)
            let again = try await cache.text(for: cache.key)
            findings.expect(again == "again", "a removed key was written again with `again`, the read gave \(again.inWords)")
        },
        ConformanceCheck("remove of nothing") { cache, findings in
            do {
                try await cache.source.remove(cache.key)
                try await cache.source.remove(cache.key)
            } catch {
                findings.note("removing a key that is not there failed with: \(error)")
            }
        },
        ConformanceCheck("payloads") { cache, findings in
            let payloads: [(label: String, payload: [UInt8])] = [
                ("an empty payload", []),
                ("a payload of all 256 bytes", Array(0...255)),
                ("a payload of one line end", [10]),
                ("a payload that is not UTF-8", [0xFF, 0xFE, 0xC0, 0x80]),
                ("a payload of 1 MiB", (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }),
            ]
            for (label, payload) in payloads {
                do {
                    try await cache.source.write(cache.entry(payload), for: cache.key)
                } catch let error as SourceError where error.kind == .notKept {
                    let left = try await cache.source.read(cache.key)
                    findings.expect(left == nil, "\(label) was not kept, and the entry before it is still there")
                    continue
                }
                let found = try await cache.source.read(cache.key)
                findings.expect(found != nil, "\(label) reads back as a miss")
                findings.expect(found?.isNotFound != true, "\(label) reads back as not found")
                if let bytes = found?.payload {
                    findings.expect(bytes == payload, "\(label) reads back changed (\(bytes.count) bytes of \(payload.count))")
                }
            }
        },
        ConformanceCheck("checking") { cache, findings in
            guard try await cache.source.check() != .unknown else { return }
            findings.expect(try await cache.source.check() == .reachable, "a cache that works was not reachable")
            let nothing = try await cache.text(for: cache.key)
            findings.expect(nothing == nil, "after a check a key that was never written gave \(nothing.inWords)")
            try await cache.write("value", for: cache.key)
            findings.expect(try await cache.source.check() == .reachable, "a cache that was written to was not reachable")
            let found = try await cache.text(for: cache.key)
            findings.expect(found == "value", "`value` was written and the cache checked, the read gave \(found.inWords)")
        },
        ConformanceCheck("closing") { cache, findings in
            try await cache.source.connect()
            try await cache.write("value", for: cache.key)
            await cache.source.close()
            do {
                // A cache that holds nothing open has nothing to lose.
                let found = try await cache.text(for: cache.key)
                findings.expect(found == "value", "a read after close gave \(found.inWords) instead of an error")
            } catch {}
        },
    ]
}
