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
