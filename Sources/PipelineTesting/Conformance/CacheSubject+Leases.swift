import Pipeline

extension CacheSubject {
    /// The checks for caches that hold leases; there are none for other caches.
    static let leaseChecks: [ConformanceCheck<CacheSubject>] = [
        ConformanceCheck("leases") { cache, findings in
            guard let source = cache.leasing else { return }
            let lasting = Duration.seconds(3_600)
            let isTaken = try await source.takeLease(of: cache.key, for: "one", lasting: lasting)
            findings.expect(isTaken, "a free lease was not given")
            let isTakenTwice = try await source.takeLease(of: cache.key, for: "two", lasting: lasting)
            findings.expect(!isTakenTwice, "a lease was given to a second holder while the first had it")
            let isRenewed = try await source.takeLease(of: cache.key, for: "one", lasting: lasting)
            findings.expect(isRenewed, "a holder could not make its lease last anew")
            let isOther = try await source.takeLease(of: cache.otherKey, for: "two", lasting: lasting)
            findings.expect(isOther, "the lease of one key kept the lease of another from being given")
            try await source.releaseLease(of: cache.key, by: "two", fruitlessFor: nil)
            let isStolen = try await source.takeLease(of: cache.key, for: "three", lasting: lasting)
            findings.expect(!isStolen, "a lease was given back by one that does not hold it")
            try await source.releaseLease(of: cache.key, by: "one", fruitlessFor: nil)
            try await source.releaseLease(of: cache.key, by: "one", fruitlessFor: nil)
            let isFree = try await source.takeLease(of: cache.key, for: "three", lasting: lasting)
            findings.expect(isFree, "a lease that was given back was not given to the next holder")
        },
        ConformanceCheck("fruitless leases") { cache, findings in
            guard let source = cache.leasing else { return }
            let lasting = Duration.seconds(3_600)
            _ = try await source.takeLease(of: cache.key, for: "one", lasting: lasting)
            try await source.releaseLease(of: cache.key, by: "two", fruitlessFor: lasting)
            let isStolen = try await source.takeLease(of: cache.key, for: "two", lasting: lasting)
            findings.expect(!isStolen, "a lease was given back as fruitless by one that does not hold it")
            let none = try await source.lastFruitlessHolder(of: cache.key)
            findings.expect(none == nil, "\(none.inWords) was named for a lease that was not fruitless")
            try await source.releaseLease(of: cache.key, by: "one", fruitlessFor: lasting)
            // A source need not name the holder.
            let told = try await source.lastFruitlessHolder(of: cache.key)
            findings.expect(told == nil || told == "one", "\(told.inWords) was named for a lease that \"one\" gave back as fruitless")
            let other = try await source.lastFruitlessHolder(of: cache.otherKey)
            findings.expect(other == nil, "\(other.inWords) was named for the lease of another key")
            let isFree = try await source.takeLease(of: cache.key, for: "two", lasting: lasting)
            findings.expect(isFree, "a lease that was given back as fruitless was not given to the next holder")
            try await source.releaseLease(of: cache.key, by: "two", fruitlessFor: nil)
            let kept = try await source.lastFruitlessHolder(of: cache.key)
            findings.expect(kept == told, "the next lease made \(kept.inWords) of \(told.inWords), which gave it back as fruitless")
            let value = try await cache.text(for: cache.key)
            findings.expect(value == nil, "giving a lease back as fruitless left \(value.inWords) as a value")
        },
        ConformanceCheck("leases and values") { cache, findings in
            guard let source = cache.leasing else { return }
            _ = try await source.takeLease(of: cache.key, for: "one", lasting: .seconds(3_600))
            let empty = try await cache.text(for: cache.key)
            findings.expect(empty == nil, "a key with a lease and without a value gave \(empty.inWords)")
            try await cache.write("value", for: cache.key)
            let found = try await cache.text(for: cache.key)
            findings.expect(found == "value", "a key with a lease gave \(found.inWords) for what was written")
            try await source.releaseLease(of: cache.key, by: "one", fruitlessFor: nil)
            let kept = try await cache.text(for: cache.key)
            findings.expect(kept == "value", "giving a lease back left \(kept.inWords) of the value")
        },
        ConformanceCheck("concurrent takers of a lease") { cache, findings in
            guard let source = cache.leasing else { return }
            let count = await withTaskGroup { group in
                for taker in 0..<16 {
                    group.addTask {
                        do {
                            return try await source.takeLease(of: cache.key, for: "taker \(taker)", lasting: .seconds(3_600)) ? 1 : 0
                        } catch {
                            findings.note("one of 16 takers of a lease failed with: \(error)")
                            return 0
                        }
                    }
                }
                return await group.reduce(0, +)
            }
            findings.expect(count == 1, "of 16 who asked for a lease at the same time \(count) got it")
        },
        ConformanceCheck("renewed leases") { cache, findings in
            // On a clock that stands still no lease needs a renewal.
            guard let source = cache.leasing, cache.clock.now < cache.clock.now else { return }
            _ = try await source.takeLease(of: cache.key, for: "one", lasting: .milliseconds(20))
            _ = try await source.takeLease(of: cache.key, for: "one", lasting: .seconds(3_600))
            try await cache.clock.sleep(for: .milliseconds(30))
            let isTaken = try await source.takeLease(of: cache.key, for: "two", lasting: .seconds(3_600))
            findings.expect(!isTaken, "a lease that its holder had renewed ended when it would have ended without")
        },
        ConformanceCheck("leases that end too late") { cache, findings in
            // On a clock that stands still no lease ends.
            guard let source = cache.leasing, cache.clock.now < cache.clock.now else { return }
            _ = try await source.takeLease(of: cache.key, for: "one", lasting: .seconds(3_600))
            // Ends at the latest when the check runs out of time.
            while try await !source.takeLease(of: cache.key, for: "two", lasting: .milliseconds(20)) {
                try await cache.clock.sleep(for: .milliseconds(5))
            }
        },
        ConformanceCheck("leases that run out") { cache, findings in
            // On a clock that stands still no lease runs out.
            guard let source = cache.leasing, cache.clock.now < cache.clock.now else { return }
            _ = try await source.takeLease(of: cache.key, for: "one", lasting: .milliseconds(20))
            // Ends at the latest when the check runs out of time.
            while try await !source.takeLease(of: cache.key, for: "two", lasting: .seconds(3_600)) {
                try await cache.clock.sleep(for: .milliseconds(5))
            }
            try await source.releaseLease(of: cache.key, by: "one", fruitlessFor: .seconds(3_600))
            let late = try await source.lastFruitlessHolder(of: cache.key)
            findings.expect(late == nil, "the earlier holder of a lease was named as if the next one had given it back as fruitless")
            try await source.releaseLease(of: cache.key, by: "one", fruitlessFor: nil)
            let isLost = try await source.takeLease(of: cache.key, for: "three", lasting: .seconds(3_600))
            findings.expect(!isLost, "who had a lease before gave back that of the next holder")
            try await source.releaseLease(of: cache.key, by: "two", fruitlessFor: .milliseconds(20))
            // Ends at the latest when the check runs out of time.
            while try await source.lastFruitlessHolder(of: cache.key) != nil { try await cache.clock.sleep(for: .milliseconds(5)) }
        },
    ]

    private var leasing: (any SharedSource)? {
        guard let source = source as? any SharedSource, source.sharedFlight != nil else { return nil }
        return source
    }
}
