import Pipeline

extension CacheSubject {
    /// - Parameter keepsMetadata: whether the times of an entry are read back as they were written.
    static func renewalChecks(keepsMetadata: Bool) -> [ConformanceCheck<CacheSubject>] {
        [
            ConformanceCheck("renewal") { cache, findings in
                let held = try await cache.held(cache.payload(1))
                let later = cache.later(held)
                let isRenewed = try await cache.source.renew(held, as: later, for: cache.key)
                findings.expect(isRenewed, "a copy that is as it was read was not renewed")
                let found = try await cache.source.read(cache.key)
                findings.expect(found?.payload == held.payload, "a renewed copy has another payload")
                guard keepsMetadata, let found else { return }
                findings.expect(
                    found.created == later.created && found.stored == later.stored && found.freshUntil == later.freshUntil,
                    "a renewed copy has not the times that it was given")
                findings.expect(
                    found.lastModified == later.lastModified && found.version == later.version && found.cacheControl == later.cacheControl
                        && found.variant == later.variant,
                    "a renewed copy has not the metadata that it was given")
                let endless = cache.later(found, endless: true)
                _ = try await cache.source.renew(found, as: endless, for: cache.key)
                let last = try await cache.source.read(cache.key)
                findings.expect(last?.payload == held.payload, "a copy that was renewed twice has another payload")
                findings.expect(last?.freshUntil == nil, "a copy that was renewed without a limit has one")
            },
            ConformanceCheck("renewal of another payload") { cache, findings in
                for other in [cache.payload(2), Array(cache.payload(1).dropLast()), []] {
                    let held = try await cache.held(cache.payload(1))
                    let later = cache.later(held)
                    try await cache.source.write(cache.entry(other), for: cache.key)
                    let isRenewed = try await cache.source.renew(held, as: later, for: cache.key)
                    let found = try await cache.source.read(cache.key)
                    // A source that writes the whole entry is right, too.
                    let hasBoth = found?.payload == later.payload && isRenewed
                    let hasNeither = found?.payload == other && found?.created != later.created && !isRenewed
                    findings.expect(hasBoth || hasNeither, "a renewal gave its times to another payload")
                }
            },
            ConformanceCheck("renewal of nothing") { cache, findings in
                let held = try await cache.held(cache.payload(1))
                try await cache.source.remove(cache.key)
                let isRenewed = try await cache.source.renew(held, as: cache.later(held), for: cache.key)
                let found = try await cache.source.read(cache.key)
                findings.expect(
                    isRenewed == (found != nil), "a renewal of a key that was removed says \(isRenewed), and a read gives the contrary")
                findings.expect(found == nil || found?.payload == held.payload, "a renewal of a key that was removed left another payload")
            },
            ConformanceCheck("renewal beside writers") { cache, findings in
                let held = try await cache.held(cache.payload(1))
                let later = cache.later(held)
                await withTaskGroup { group in
                    for number in UInt8(0)..<8 {
                        group.addTask {
                            do {
                                if number.isMultiple(of: 2) {
                                    try await cache.source.write(cache.entry(cache.payload(number + 10)), for: cache.key)
                                } else {
                                    _ = try await cache.source.renew(held, as: later, for: cache.key)
                                }
                            } catch {
                                findings.note("one of several that write and renew failed with: \(error)")
                            }
                        }
                    }
                }
                guard let found = try await cache.source.read(cache.key), keepsMetadata else { return }
                findings.expect(
                    (found.created == later.created) == (found.payload == later.payload),
                    "beside writers, a renewal gave its times to another payload")
            },
        ]
    }

    /// Payloads of one length that differ in their first byte alone.
    private func payload(_ first: UInt8) -> [UInt8] { [first] + Array(repeating: 7, count: 4_096) }

    /// The entry that is read after a write of `payload`.
    private func held(_ payload: [UInt8]) async throws -> Entry {
        var entry = entry(payload)
        entry.created = entry.created - .seconds(60)
        entry.stored = entry.created
        try await source.write(entry, for: key)
        return try await source.read(key) ?? entry
    }

    /// `held` as its origin confirms it, with more metadata than before.
    private func later(_ held: Entry, endless: Bool = false) -> Entry {
        let now = clock.now - .seconds(endless ? 1 : 2)
        return Entry(
            held.payload ?? [], created: now, stored: now, freshUntil: endless ? nil : now + .seconds(600), etag: held.etag,
            lastModified: endless ? held.lastModified : "Wed, 21 Oct 2026 07:28:00 GMT", contentType: held.contentType, version: "7",
            source: held.source, cacheControl: endless ? nil : CacheControl(field: "max-age=600"), variant: endless ? nil : "accept 0")
    }
}
