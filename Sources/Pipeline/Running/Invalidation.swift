/// Makes worthless what a pipeline knows of a key, or of all its keys: copies, and the answers of loads that run.
struct Invalidation: Sendable {
    let pipeline: String
    let tiers: [Tier]
    let flights: [Flights]
    let generations: Generations
    let background: BackgroundTasks
    let observer: PipelineEvent.Observer?
    /// Rises when this process begins to hear the others; nil when it has no reason to listen.
    let horizon: Horizon?
    let clock: PipelineClock

    /// Forgets `key` in every cache, slow ones before fast ones, and tells the other processes.
    func remove(_ key: Key) async -> RemovalReport {
        begin(key)
        return await toTheEnd {
            defer { end(key) }
            let caches = ownAndShared
            return report(await told(.key(key), await forget(in: caches) { try await $0.remove(key) }, of: caches), of: key)
        }
    }

    /// Forgets every key of the pipeline.
    func clear() async -> RemovalReport {
        beginClear()
        return await toTheEnd {
            defer { endClear() }
            let caches = ownAndShared
            let lines = await forget(in: caches) { [pipeline] in try await $0.clear(pipeline: pipeline) }
            return report(await told(.pipeline(pipeline), lines, of: caches), of: nil)
        }
    }

    /// Does `work` to its end, whatever becomes of the caller: half a removal would leave the value with the other processes. A caller
    /// that is cancelled stops waiting.
    private func toTheEnd(_ work: @escaping @Sendable () async -> RemovalReport) async -> RemovalReport {
        let ended = Race<RemovalReport>()
        // Ends with the removal, or with the pipelines.
        let task = Task.beginning { _ = ended.finish(.success(await work())) }
        if case .success(let report)? = ended.result { return report }
        background.adopt(task)
        if let report = try? await ended.value() { return report }
        let reason = "the removal goes on, and nobody waits for it"
        return RemovalReport(lines: ownAndShared.map { RemovalReport.Line(source: $0.name, failure: reason) })
    }

    /// Makes what is known of `key` worthless because another value takes its place.
    func replace(_ key: Key) {
        begin(key)
        generations.endRemoval(of: key)
    }

    /// All caches, slow ones before fast ones: a reader between two must not find what the slower one has forgotten.
    private var ownAndShared: [Tier] {
        let caches = tiers.filter(\.isCache).reversed()
        return caches.filter { !$0.isImmediate } + caches.filter(\.isImmediate)
    }

    /// Makes the answers of loads that run worth nothing for `key` until the removal has ended, and lets new fetches start anew.
    private func begin(_ key: Key) {
        generations.beginRemoval(of: key)
        detach { $0 == key }
    }

    private func end(_ key: Key) {
        generations.endRemoval(of: key)
        detach { $0 == key }
    }

    private func beginClear() {
        generations.beginClear()
        detach { _ in true }
    }

    private func endClear() {
        generations.endClear()
        detach { _ in true }
    }

    /// Lets nobody join the loads that run: what they found may be gone.
    private func detach(where isGone: (Key) -> Bool) {
        for flights in flights { flights.detach(where: isGone) }
    }

    private func forget(in caches: [Tier], _ forget: (WriteQueue) async throws -> Void) async -> [RemovalReport.Line] {
        var lines: [RemovalReport.Line] = []
        for tier in caches {
            guard let queue = tier.queue else { continue }
            do {
                try await forget(queue)
                lines.append(RemovalReport.Line(source: tier.name, failure: nil))
            } catch {
                lines.append(RemovalReport.Line(source: tier.name, failure: tier.redactor.redacted("\(error)")))
            }
        }
        return lines
    }

    /// Tells the other processes, now that the sources they share have changed; who could not be told is in the source's line.
    private func told(
        _ announcement: Announcement, _ lines: [RemovalReport.Line], of caches: [Tier]
    ) async -> [RemovalReport.Line] {
        var lines = lines
        for tier in caches {
            guard let failure = await tier.tell(announcement), let index = lines.firstIndex(where: { $0.source == tier.name }) else {
                continue
            }
            lines[index] = RemovalReport.Line(source: tier.name, failure: lines[index].failure ?? failure.reason)
        }
        return lines
    }

    @discardableResult
    private func report(_ lines: [RemovalReport.Line], of key: Key?) -> RemovalReport {
        let report = RemovalReport(lines: lines)
        observer?(.removal(report, pipeline: pipeline, key: key))
        return report
    }
}

extension Invalidation {
    /// Does what another process's announcement asks for; what needs waiting goes on when this returns.
    func hear(_ event: HeardEvent, through source: String) async {
        switch event {
        case .began: horizon?.raise(to: clock.now, hearing: source)
        case .refused: horizon?.lose(source, at: clock.now)
        case .announced(.key(let key)) where key.pipeline.utf8.elementsEqual(pipeline.utf8):
            begin(key)
            await drop(key, { try await $0.remove(key) }) { end(key) }
        case .announced(.pipeline(let name)) where name.utf8.elementsEqual(pipeline.utf8):
            beginClear()
            await drop(nil, { try await $0.clear(pipeline: name) }) { endClear() }
        case .announced: break
        }
    }

    /// Has this process's own caches forget. Those that answer at once come first, so that a hung disk keeps no copy in memory alive:
    /// nothing is promoted meanwhile, since the removal has begun. Shared caches hold what the other process left there; but a write of
    /// this process that is under way may land after that, and is to go, too.
    private func drop(
        _ key: Key?, _ forget: @escaping @Sendable (WriteQueue) async throws -> Void, end: @escaping @Sendable () -> Void
    ) async {
        let own = tiers.filter { $0.isCache && $0.announcing == nil }
        let lines = await self.forget(in: own.filter(\.isImmediate), forget)
        let late = tiers.filter { $0.announcing != nil }.compactMap(\.queue).map { queue in
            (queue: queue, keys: queue.writtenKeys { key == nil ? $0.pipeline.utf8.elementsEqual(pipeline.utf8) : $0 == key })
        }
        // Ends with the slowest cache; the next announcement does not wait for it.
        background.adopt(
            Task {
                for (queue, keys) in late { for key in keys { try? await queue.remove(key) } }
                let more = await self.forget(in: own.filter { !$0.isImmediate }, forget)
                end()
                report(lines + more, of: key)
            })
    }
}
