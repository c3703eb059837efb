import Synchronization

/// Invalidates what a pipeline knows of a key, or of all its keys: copies, and the answers of running loads.
///
/// A pipeline and its other orders share one, since their keys are the same. It remembers every cache that one of them ever used, since
/// copies stay there, but only the loads of orders that exist.
package final class Invalidation: Sendable {
    private struct State {
        /// In the order of the pipeline, and then those that only other orders have.
        var caches: [Tier] = []
        var flights: [UInt64: [Flights]] = [:]
        var last: UInt64 = 0
        /// Messages of other processes whose keys are being forgotten.
        var received: Set<InvalidationMessage> = []
        var confirmation: Confirmation?
        /// The formats that its values had, before and after changes of the file.
        var formats: Set<PayloadFormat> = []
    }

    package let pipeline: String
    package let generations = Generations()
    package let background = BackgroundTasks()
    package let followers = Followers()
    package let commons: Commons
    private let state = Mutex(State())

    init(pipeline: String, _ commons: Commons) { (self.pipeline, self.commons) = (pipeline, commons) }

    package var clock: PipelineClock { commons.clock }

    /// Whether what memory holds may have been checked by another format: the pipeline had one before the file was read again. Notes this one.
    func hadOtherFormats(than format: PayloadFormat) -> Bool {
        state.withLock { state in
            state.formats.insert(format)
            return state.formats.count > 1
        }
    }

    /// Moves when this process subscribes, which another order can cause at any time; nil where no source of the file publishes messages.
    var latentConfirmation: Confirmation? { state.withLock { $0.confirmation } }

    /// A source of the file publishes what other processes change.
    func allowSubscribing() {
        state.withLock { $0.confirmation = $0.confirmation ?? Confirmation() }
    }

    /// Since when this process receives the messages of the others; nil when it has no reason to subscribe.
    var confirmation: Confirmation? { latentConfirmation.flatMap { $0.isSubscribed ? $0 : nil } }

    /// Whether a cache keeps values that outlives the process.
    package var keepsBeyondProcess: Bool { state.withLock { $0.caches.contains(where: \.outlivesProcess) } }

    /// How many orders of the pipeline there are, for tests.
    var memberCount: Int { state.withLock { $0.flights.count } }

    /// Adds the loads and the caches of one order, so that removals reach them; returns what ``leave(_:)`` takes.
    func join(_ flights: [Flights], _ tiers: [Tier]) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.flights[state.last] = flights
            for tier in tiers where tier.isCache {
                var tier = tier
                // It keeps this, which must not keep that: only reads need it.
                tier.rules.judges = [:]
                guard let known = state.caches.firstIndex(where: { $0.name == tier.name }) else { state.caches.append(tier); continue }
                // A cache of this name took the place of another one.
                if state.caches[known].queue !== tier.queue { state.caches[known] = tier }
            }
            return state.last
        }
    }

    /// Removes from no cache any more whose queue is none of `queues`.
    func keepCaches(of queues: [String: WriteQueue]) {
        state.withLock { $0.caches.removeAll { queues[$0.name] !== $0.queue } }
    }

    /// Removes an order that is gone.
    func leave(_ member: UInt64) {
        state.withLock { $0.flights[member] = nil }
    }

    /// The pipeline receives the messages of further sources from now on. Earlier ones may have been missed.
    ///
    /// - Parameter refusing: the sources that refuse the subscription at the moment.
    func beginSubscription(refusedBy refusing: some Sequence<String>) {
        let now = clock.now
        latentConfirmation?.raise(to: now)
        for source in refusing { latentConfirmation?.lose(source, at: now) }
    }

    /// Forgets a key, or every key of the pipeline, in every cache, slow ones before fast ones, and publishes that to the other processes.
    func remove(_ gone: InvalidationMessage) async -> RemovalReport {
        begin(gone)
        return await toTheEnd { [self] in
            let caches = self.caches
            let lines = await forget(gone, in: caches)
            end(gone)
            // Afterwards: what was loaded until now may be what is gone.
            await followers.tell(gone, by: .call)
            return report(await publish(gone, lines, of: caches), of: gone)
        }
    }

    /// Does `work` to its end, even when the caller is cancelled: half a removal would leave the value with the other processes. A cancelled
    /// caller stops waiting.
    private func toTheEnd(_ work: @escaping @Sendable () async -> RemovalReport) async -> RemovalReport {
        let ended = Race<RemovalReport>()
        // Ends with the removal, or with the pipelines.
        let task = Task.beginning { _ = ended.finish(.success(await work())) }
        if case .success(let report)? = ended.result { return report }
        background.adopt(task)
        if let report = try? await ended.value() { return report }
        let reason = "the removal continues in the background"
        return RemovalReport(lines: caches.map { RemovalReport.Line(source: $0.name, failure: reason) })
    }

    /// Invalidates what is known of `key`, because another value takes its place. `store` hands that value to the caches with a write permit.
    /// Until it has, nothing is promoted: a cache without the new value may still answer with the old one.
    ///
    /// Waits for a running removal first. Throws when the task is cancelled during that wait.
    func replace(_ key: Key, _ store: (Generations.WritePermit) async -> Void) async throws {
        try await generations.endOfRemovals(of: key)
        let permit = generations.beginReplacement(of: key)
        detach(.key(key))
        await store(permit)
        generations.endReplacement(of: key)
        detach(.key(key))
    }

    /// The caches that only other orders have.
    func caches(besides tiers: [Tier]) -> [Tier] {
        caches.filter { cache in !tiers.contains { $0.name == cache.name } }
    }

    /// All caches, slow ones before fast ones: a reader between two must not find what the slower one has forgotten.
    package var caches: [Tier] {
        let caches = state.withLock { $0.caches }.reversed()
        return caches.filter { !$0.isImmediate } + caches.filter(\.isImmediate)
    }

    /// Makes the answers of running loads worthless until the removal has ended, and has new fetches start new loads.
    private func begin(_ gone: InvalidationMessage) {
        switch gone {
        case .key(let key): generations.beginRemoval(of: key)
        case .pipeline: generations.beginClear()
        }
        followers.void(gone)
        detach(gone)
    }

    private func end(_ gone: InvalidationMessage) {
        switch gone {
        case .key(let key): generations.endRemoval(of: key)
        case .pipeline: generations.endClear()
        }
        detach(gone)
    }

    /// Keeps fetches from joining the running loads: what those found may be gone.
    package func detach(_ gone: InvalidationMessage) { detach(where: gone.concerns) }

    package func detach(where isGone: (Key) -> Bool) {
        for flights in state.withLock({ $0.flights.sorted { $0.key < $1.key }.flatMap(\.value) }) { flights.detach(where: isGone) }
    }

    private func forget(_ gone: InvalidationMessage, in caches: [Tier]) async -> [RemovalReport.Line] {
        var lines: [RemovalReport.Line] = []
        for tier in caches {
            guard let queue = tier.queue else { continue }
            do {
                // Goes on after the limit where it cannot be cancelled: the caches above must be cleared in time.
                try await tier.limiting(leaving: { [background] in
                    $0.cancel()
                    background.adopt($0)
                }) {
                    switch gone {
                    case .key(let key): try await queue.remove(key)
                    case .pipeline(let name): try await queue.clear(pipeline: name)
                    }
                }
                lines.append(RemovalReport.Line(source: tier.name, failure: nil))
            } catch {
                lines.append(RemovalReport.Line(source: tier.name, failure: tier.redactor.redacted("\(error)")))
            }
        }
        return lines
    }

    /// Has a cache forget every key of the pipeline, in the time that it has to answer. Where it fails or takes longer, it is not read until it
    /// has.
    package func clear(_ cache: Tier) async { _ = await forget(.pipeline(pipeline), in: [cache]) }

    /// Publishes the removal through the sources that have made it. The line of a source reports its failure.
    private func publish(
        _ invalidation: InvalidationMessage, _ lines: [RemovalReport.Line], of caches: [Tier]
    ) async -> [RemovalReport.Line] {
        var lines = lines
        for tier in caches {
            guard let failure = await tier.publish(invalidation), let index = lines.firstIndex(where: { $0.source == tier.name }) else {
                continue
            }
            lines[index] = RemovalReport.Line(source: tier.name, failure: lines[index].failure ?? failure.reason)
        }
        return lines
    }

    @discardableResult
    private func report(_ lines: [RemovalReport.Line], of gone: InvalidationMessage) -> RemovalReport {
        let report = RemovalReport(lines: lines)
        let key: Key? = if case .key(let key) = gone { key } else { nil }
        commons.observer?(.removal(report, pipeline: pipeline, key: key))
        return report
    }
}

extension Invalidation {
    /// Does what an event of a subscription requires; slow work goes on after this returns.
    func receive(_ event: SubscriptionEvent, through source: String) async {
        switch event {
        case .began: confirmation?.raise(to: clock.now, through: source)
        case .refused: confirmation?.lose(source, at: clock.now)
        case .received(let gone) where gone.pipeline.utf8.elementsEqual(pipeline.utf8): await drop(gone)
        case .received: break
        }
    }

    /// Has this process's own caches forget. Those that answer at once come first, so that a hung disk keeps no copy in memory alive: nothing
    /// is promoted meanwhile, since the removal has begun. Then those that are slow: they serve an old copy until they have forgotten it. Shared
    /// caches come last. They hold what the other process left there, but a write of this process that is under way may arrive after that, and
    /// must go, too; one that hangs is waited for no longer than its cache may take to answer, since what is loaded until the end is kept nowhere.
    private func drop(_ gone: InvalidationMessage) async {
        let isNew = state.withLock { $0.received.insert(gone).inserted }
        // A key that is being forgotten already has not been kept since; but a load may have found its value.
        guard isNew else { return detach(gone) }
        begin(gone)
        let caches = self.caches
        let own = caches.filter { $0.publishing == nil }
        let lines = await forget(gone, in: own.filter(\.isImmediate))
        await followers.tell(gone, by: .message)
        let late = caches.filter { $0.publishing != nil }.map { ($0, $0.queue?.writtenKeys(where: gone.concerns) ?? []) }
        // Ends with the slowest cache; the next message does not wait for it.
        background.adopt(
            Task {
                let more = await forget(gone, in: own.filter { !$0.isImmediate })
                for (tier, keys) in late where !keys.isEmpty { await remove(keys, from: tier) }
                state.withLock { _ = $0.received.remove(gone) }
                end(gone)
                // A slow cache may have served its copy meanwhile.
                await followers.tell(gone, by: .message)
                report(lines + more, of: gone)
                await followers.tell(gone, by: .messageEnded)
            })
    }
}

extension Invalidation {
    /// Removes these keys from a cache, each after what runs for it; what takes longer than the tier may goes on in the background.
    private func remove(_ keys: [Key], from tier: Tier) async {
        guard let queue = tier.queue else { return }
        try? await tier.limiting(leaving: { [background] in
            $0.cancel()
            background.adopt($0)
        }) {
            await withTaskGroup { group in
                // All at the same time: one that hangs keeps none of the others waiting.
                for key in keys { group.addTask { _ = try? await queue.remove(key) } }
            }
        }
    }
}

extension InvalidationMessage {
    /// The pipeline whose keys it is about.
    fileprivate var pipeline: String {
        switch self {
        case .key(let key): key.pipeline
        case .pipeline(let name): name
        }
    }

    /// Whether `other` is gone, too.
    package func concerns(_ other: Key) -> Bool {
        switch self {
        case .key(let key): other == key
        case .pipeline(let name): other.pipeline.utf8.elementsEqual(name.utf8)
        }
    }
}
