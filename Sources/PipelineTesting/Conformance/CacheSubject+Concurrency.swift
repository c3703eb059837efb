import Pipeline

extension CacheSubject {
    static let concurrencyChecks: [ConformanceCheck<CacheSubject>] = [
        ConformanceCheck("concurrent writers of one key") { cache, findings in
            await withTaskGroup { group in
                for writer in UInt8(0)..<8 {
                    group.addTask {
                        do {
                            for _ in 0..<4 { try await cache.source.write(cache.entry(wholePayload(of: writer)), for: cache.key) }
                        } catch {
                            findings.note("one of several writers failed with: \(error)")
                        }
                    }
                    group.addTask {
                        do {
                            for _ in 0..<4 { cache.expectWhole(try await cache.source.read(cache.key), whileWriting: true, findings) }
                        } catch {
                            findings.note("a read beside several writers failed with: \(error)")
                        }
                    }
                }
            }
            cache.expectWhole(try await cache.source.read(cache.key), whileWriting: false, findings)
        },
        ConformanceCheck("concurrent writers of many keys") { cache, findings in
            let keys = (0..<64).map { Key(pipeline: "friends", parameters: ["user": "\($0)"]) }
            await withTaskGroup { group in
                for key in keys {
                    group.addTask {
                        do {
                            try await cache.write(key.text, for: key)
                        } catch {
                            findings.note("one of 64 writers of different keys failed with: \(error)")
                        }
                    }
                }
            }
            for key in keys {
                let found = try await cache.text(for: key)
                findings.expect(
                    found == key.text, "64 keys were written at the same time, `\(key)` gave \(found.inWords) afterwards")
            }
        },
        ConformanceCheck("cancelled write") { cache, findings in
            for round in UInt8(0)..<12 {
                let old = cache.entry(wholePayload(of: round))
                let new = cache.entry(wholePayload(of: round + 100))
                try await cache.source.write(old, for: cache.key)
                let result = await cancelled(early: round.isMultiple(of: 2)) { try await cache.source.write(new, for: cache.key) }
                let found = try await cache.source.read(cache.key)?.payload
                switch result {
                case .success:
                    findings.expect(found == new.payload, "a cancelled write returned without an error and did not store its entry")
                case .failure(is CancellationError):
                    findings.expect(
                        found == new.payload || found == old.payload,
                        "a cancelled write left neither the old entry nor the new one")
                case .failure(let error):
                    findings.note("a cancelled write failed with something other than CancellationError: \(error)")
                }
                try await cache.write("later", for: cache.key)
                let later = try await cache.text(for: cache.key)
                findings.expect(later == "later", "a write after a cancelled one did not hold")
            }
        },
        ConformanceCheck("cancelled read") { cache, findings in
            let entry = cache.entry(wholePayload(of: 1))
            try await cache.source.write(entry, for: cache.key)
            for round in 0..<12 {
                let result = await cancelled(early: round.isMultiple(of: 2)) { try await cache.source.read(cache.key) }
                switch result {
                case .success(let found):
                    findings.expect(
                        found?.payload == entry.payload, "a cancelled read gave \(found == nil ? "nil" : "another entry")")
                case .failure(is CancellationError): break
                case .failure(let error):
                    findings.note("a cancelled read failed with something other than CancellationError: \(error)")
                }
            }
            let after = try await cache.source.read(cache.key)
            findings.expect(after?.payload == entry.payload, "cancelled reads damaged the entry")
        },
        ConformanceCheck("cancelled remove") { cache, findings in
            for round in 0..<12 {
                try await cache.write("value", for: cache.key)
                let result = await cancelled(early: round.isMultiple(of: 2)) { try await cache.source.remove(cache.key) }
                let found = try await cache.text(for: cache.key)
                switch result {
                case .success: findings.expect(found == nil, "a cancelled remove returned without an error and left the key")
                case .failure(is CancellationError):
                    findings.expect(found == nil || found == "value", "a cancelled remove left \(found.inWords)")
                case .failure(let error):
                    findings.note("a cancelled remove failed with something other than CancellationError: \(error)")
                }
            }
        },
    ]

    /// A payload that shows when parts of two are mixed: each writer has its own byte and its own length.
    private static func wholePayload(of writer: UInt8) -> [UInt8] {
        Array(repeating: writer, count: 16_384 + 512 * Int(writer))
    }

    private func expectWhole(_ entry: Entry?, whileWriting: Bool, _ findings: Findings) {
        let moment = whileWriting ? "a read while several tasks write one key" : "a read after several tasks wrote one key"
        guard let entry else {
            return findings.expect(whileWriting, "\(moment) gave nil")
        }
        guard let writer = entry.payload?.first, writer < 8, entry.payload == Self.wholePayload(of: writer) else {
            return findings.note("\(moment) gave a payload that none of them wrote")
        }
    }
}

/// The result of `operation` in a task that is cancelled before it begins, or at about the time it begins.
func cancelled<Value: Sendable>(
    early: Bool, _ operation: @escaping @Sendable () async throws -> Value
) async -> Result<Value, any Error> {
    let task = Task {
        if early { withUnsafeCurrentTask { $0?.cancel() } }
        return try await operation()
    }
    if !early {
        await Task.yield()
        task.cancel()
    }
    return await task.result
}
