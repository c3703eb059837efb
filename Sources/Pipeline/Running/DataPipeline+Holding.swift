extension DataPipeline {
    /// The longest wait for a cache that only has to say whether it has a copy.
    private static let longestLook = Duration.seconds(1)

    /// The caches that say they have no copy for `key`, not even an expired one. One that fails, or takes its time, is not among them.
    package func cachesWithout(_ key: Key) async -> Set<String> {
        await withTaskGroup(of: String?.self) { group in
            for tier in caches {
                group.addTask {
                    let late = SourceError("no answer within \(Self.longestLook.spelling)", kind: .timeout)
                    let found = await Result {
                        try await tier.clock.race(until: tier.clock.now + Self.longestLook, late: { throw late }) {
                            try await tier.source.read(key)
                        }
                    }
                    if case .success(nil) = found { return tier.name }
                    return nil
                }
            }
            return await group.reduce(into: []) { names, name in if let name { names.insert(name) } }
        }
    }
}

extension DataPipeline {
    /// Indicates whether a refresh or a load in the background runs, or is held.
    package var hasBackgroundWork: Bool { background.hasWork }

    /// From now on no refresh starts before ``startHeldRefreshes()``: a process that is about to end can leave them to another process.
    package func holdRefreshes() {
        background.hold()
    }

    /// Starts the refreshes that were held; later ones start at once.
    package func startHeldRefreshes() {
        background.startHeld()
    }

    /// The number of loads that run now.
    package var loadsUnderWay: Int { flights[0].count }

    /// The circuits of the tiers that have one.
    package var circuits: [(source: String, state: CircuitState)] {
        tiers.compactMap { tier in tier.breaker.map { (tier.name, $0.reading) } }
    }

    /// Waits for what runs in the background: refreshes, and loads that go on after a soft timeout.
    package func finishRefreshes() async {
        await background.finishAll()
    }
}
