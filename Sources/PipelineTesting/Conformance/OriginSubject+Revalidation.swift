import Pipeline

extension OriginSubject {
    /// They pass for an origin that cannot revalidate.
    static let revalidationChecks: [ConformanceCheck<OriginSubject>] = [
        ConformanceCheck("revalidation") { origin, findings in
            guard let known = try await origin.source.read(origin.existing) else {
                return findings.note("the existing key gave nil")
            }
            let confirmed = try await origin.source.read(origin.existing, ReadContext(confirming: known))
            findings.expect(
                confirmed?.payload == origin.expected, "an entry that still holds was revalidated to \(describe(confirmed))")
            if let confirmed {
                findings.expect(confirmed.created >= known.created, "a revalidated entry was created before the one it confirms")
            }
        },
        ConformanceCheck("revalidation of something outdated") { origin, findings in
            guard let present = try await origin.source.read(origin.existing) else {
                return findings.note("the existing key gave nil")
            }
            let outdated = Entry(
                Array("outdated".utf8), created: present.created - .seconds(86_400), etag: "\"outdated\"",
                lastModified: "Thu, 01 Jan 1970 00:00:00 GMT")
            let entry = try await origin.source.read(origin.existing, ReadContext(confirming: outdated))
            findings.expect(entry?.payload == origin.expected, "an outdated entry was revalidated to \(describe(entry))")
            // A key that has a value at all is the matter of another check.
            guard try await origin.source.read(origin.missing)?.payload == nil else { return }
            let gone = try await origin.source.read(origin.missing, ReadContext(confirming: outdated))
            findings.expect(gone?.isNotFound ?? true, "an outdated entry of the missing key was revalidated to a value")
        },
        ConformanceCheck("revalidation without a validator") { origin, findings in
            guard let present = try await origin.source.read(origin.existing) else {
                return findings.note("the existing key gave nil")
            }
            let plain = Entry(Array("outdated".utf8), created: present.created - .seconds(86_400))
            let entry = try await origin.source.read(origin.existing, ReadContext(confirming: plain))
            findings.expect(
                entry?.payload == origin.expected, "an entry without etag and date was revalidated to \(describe(entry))")
        },
    ]
}
