extension DataPipeline {
    /// The longest wait for a cache that only has to say whether it has a copy.
    private static let longestLook = Duration.seconds(1)

    /// The caches that say they have no copy for `key`, not even an expired one. One that fails, or takes its time, is not among them.
    package func cachesWithout(_ key: Key) async -> Set<String> {
        await withTaskGroup(of: String?.self) { group in
            for tier in caches {
                group.addTask {
                    let late = SourceError(timeout: "no answer within \(Self.longestLook.spelling)")
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
