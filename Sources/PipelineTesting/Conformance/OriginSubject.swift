import Pipeline

/// An origin under check.
struct OriginSubject: ConformanceSubject {
    let source: any Source
    let existing: Key
    let expected: [UInt8]
    let missing: Key

    func close() async { await source.close() }

    static let checks: [ConformanceCheck<OriginSubject>] = [
        ConformanceCheck("value") { origin, findings in
            let first = try await origin.source.read(origin.existing)
            findings.expect(first?.payload == origin.expected, "the existing key gave \(describe(first))")
            let second = try await origin.source.read(origin.existing)
            findings.expect(second?.payload == origin.expected, "the existing key gave \(describe(second)) when asked again")
            if let first, let second {
                findings.expect(first.created <= second.created, "the second value was created before the first")
            }
        },
        ConformanceCheck("missing") { origin, findings in
            let entry = try await origin.source.read(origin.missing)
            findings.expect(entry?.isNotFound ?? true, "the missing key gave a value")
        },
        ConformanceCheck("odd keys") { origin, findings in
            for odd in OddKey.variations(of: origin.existing) where odd.key != origin.missing {
                // An error is as good as none here; only the wrong value, a crash or a hang is a violation.
                guard let entry = try? await origin.source.read(odd.key), let payload = entry.payload else { continue }
                findings.expect(payload != origin.expected, "a key with \(odd.label) gave the value of the existing key")
            }
            let after = try await origin.source.read(origin.existing)
            findings.expect(after?.payload == origin.expected, "after odd keys the existing key gave \(describe(after))")
        },
        ConformanceCheck("concurrent reads") { origin, findings in
            await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        do {
                            let found = try await origin.source.read(origin.existing)
                            findings.expect(found?.payload == origin.expected, "one of 8 reads at once gave \(describe(found))")
                        } catch {
                            findings.note("one of 8 reads at once failed with: \(error)")
                        }
                    }
                }
            }
        },
        ConformanceCheck("cancellation") { origin, findings in
            for round in 0..<6 {
                switch await cancelled(early: round.isMultiple(of: 2), { try await origin.source.read(origin.existing) }) {
                case .success(let found):
                    // An origin that answers at once need not notice the cancellation.
                    findings.expect(found?.payload == origin.expected, "a cancelled read gave \(describe(found)) instead of an error")
                case .failure(is CancellationError): break
                case .failure(let error):
                    findings.note("a cancelled read failed with something other than CancellationError: \(error)")
                }
            }
            let after = try await origin.source.read(origin.existing)
            findings.expect(after?.payload == origin.expected, "after cancelled reads the existing key gave \(describe(after))")
        },
        ConformanceCheck("checking") { origin, findings in
            _ = try await origin.source.check()
            let after = try await origin.source.read(origin.existing)
            findings.expect(after?.payload == origin.expected, "after a check the existing key gave \(describe(after))")
        },
        ConformanceCheck("closing") { origin, findings in
            try await origin.source.connect()
            await origin.source.close()
            do {
                // An origin that holds nothing open has nothing to lose.
                let found = try await origin.source.read(origin.existing)
                findings.expect(found?.payload == origin.expected, "a read after close gave \(describe(found)) instead of an error")
            } catch {}
        },
    ]

    static func describe(_ entry: Entry?) -> String {
        switch entry {
        case nil: "nil"
        case let entry? where entry.isNotFound: "not found"
        case let entry?: "another payload (\(entry.payload?.count ?? 0) bytes)"
        }
    }
}

extension OriginSubject {
    /// The checks that an origin passes, too, that cannot revalidate.
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
