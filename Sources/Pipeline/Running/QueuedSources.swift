/// The keys that a cache does not have yet.
public struct UnwrittenKeys: Sendable, Hashable {
    /// The cache.
    public let source: String
    /// The keys that the cache does not have yet.
    public let keys: [Key]

    package init(source: String, keys: [Key]) { (self.source, self.keys) = (source, keys) }
}

/// Sources with the queues of what is written to them.
struct QueuedSources: Sendable {
    /// What could not be written, by source.
    typealias Unwritten = [UnwrittenKeys]

    private(set) var sources: [String: SourceSpec] = [:]
    private(set) var queues: [String: WriteQueue] = [:]
    /// The origins whose responses say how long a copy is fresh.
    private(set) var limiting: [String: any Source] = [:]

    /// Has `sources` from now on. Those that are the same as before keep their queues; gives those that are gone.
    mutating func change(to sources: [String: SourceSpec], clock: PipelineClock) -> QueuedSources {
        let gone = self.sources.filter { sources[$0.key]?.isSame(as: $0.value) != true }
        let goneQueues = queues.filter { gone[$0.key] != nil }
        queues = sources.compactMapValues { source in
            source.cache.map { cache in (gone[source.name] == nil ? queues[source.name] : nil) ?? WriteQueue(cache, clock: clock) }
        }
        self.sources = sources
        limiting = sources.filter { $0.value.isOrigin && $0.value.capabilities.contains(.limitsFreshness) }.mapValues(\.source)
        return QueuedSources(sources: gone, queues: goneQueues)
    }

    /// Writes what waits to be written, and returns when that is done, at the latest after `limit`.
    func flush(within limit: Duration?) async -> Unwritten {
        await withTaskGroup { group in
            for (name, queue) in queues {
                group.addTask { UnwrittenKeys(source: name, keys: await queue.flush(within: limit)) }
            }
            return await group.reduce(into: []) { if !$1.keys.isEmpty { $0.append($1) } }.sorted { $0.source < $1.source }
        }
    }

    /// Writes what waits within `limit`, releases the leases, and closes the sources.
    func end(within limit: Duration, clock: PipelineClock) async -> Unwritten {
        let end = clock.now + limit
        let queues = queues.sorted { $0.key < $1.key }.map(\.value)
        for queue in queues {
            queue.close()
            queue.leases.close()
        }
        let unwritten = await flush(within: limit)
        await settleLeases(until: end, clock)
        for queue in queues {
            queue.following.cancelAll()
            queue.stopWriting()
        }
        await close(until: max(end, clock.now + Self.timeToClose), clock)
        return unwritten
    }

    /// The time that a source has to close even when no time is left: enough for a database that nothing holds up.
    static let timeToClose = Duration.milliseconds(200)

    /// Waits until every source is closed, no longer than until `end`: a source may wait for a write that hangs.
    private func close(until end: Timestamp, _ clock: PipelineClock) async {
        try? await clock.race(until: end, late: {}) { [sources] in
            await withTaskGroup { group in
                for source in sources.values {
                    group.addTask { await source.source.close() }
                }
            }
        }
    }

    /// Waits until every lease is released, no longer than until `end`.
    private func settleLeases(until end: Timestamp, _ clock: PipelineClock) async {
        if queues.values.allSatisfy(\.leases.isSettled) { return }
        // A lease that is late ends by itself.
        try? await clock.race(until: end, late: {}) { [queues] in
            for queue in queues.values { try await queue.leases.settle() }
        }
    }
}

extension SourceSpec {
    /// Whether both are the same source, used in the same way.
    func isSame(as other: SourceSpec) -> Bool {
        if identity === other.identity { return true }
        guard isOrigin == other.isOrigin, capabilities == other.capabilities, type(of: source) is AnyClass else { return false }
        return source as AnyObject === other.source as AnyObject
    }
}
