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
