import Pipeline
import PipelineScenarios

/// The rules of loading (design.md, section 6), one thing after the other: dictionaries, and a number for the time.
///
/// Nothing runs at the same time here. What the engine does in the background happens at once, or while time passes.
struct Reference {
    let spec: PipelineSpec
    private(set) var now = SimulatedClock.start
    var tiers: [ReferenceTier]
    /// Until when the origins rest, for each key: a load failed, and a stale copy was served.
    var rests: [Int: Int64] = [:]
    /// Raised by whatever makes older answers worthless.
    var generations = [0, 0, 0]
    /// What became of the writes of each load and put.
    var logs: [[String]] = []
    /// The logs that a caller can see.
    private var visibleLogs: [Int] = []
    var originCalls: [Int]
    /// Whether what can be seen hangs on which of two things of one moment comes first. That is not defined: the run ends there.
    ///
    /// So far this is one thing: the write of an answer is the probe of a circuit, and the refresh that the same fetch started writes
    /// to the same cache. Here the probe is over by then; in the engine it may be under way, and then the refresh leaves the cache out.
    var isTied = false

    /// How many logs are looked at.
    static let watchedLogs = 5

    init(_ spec: PipelineSpec) {
        self.spec = spec
        tiers = spec.tiers.map(ReferenceTier.init)
        originCalls = spec.tiers.map { _ in 0 }
    }

    /// Does `step`, and says what can be seen then.
    mutating func perform(_ step: Step) -> Observation {
        var seen = Observation()
        for tier in tiers.indices { tiers[tier].writeProbe = nil }
        switch step {
        case .fetch(let key, let policy): seen.fetched = fetch(key, policy)
        case .put(let key, let value): put(value, for: key)
        case .remove(let key): seen.removed = remove(key)
        case .clear: seen.removed = clear()
        case .advance(let duration): elapse(to: now + duration)
        case .fail(let tier, let operation, let isOn): tiers[tier].setFailing(operation, isOn)
        case .answer(let tier, let answer, let delay):
            tiers[tier].answer = answer
            tiers[tier].delay = delay
        case .delayReads(let tier, let delay): tiers[tier].delay = delay
        case .plant(let tier, let key, let value, let freshFor):
            tiers[tier].copies[key] = Copy(
                payload: value.map(String.init) ?? Copy.invalid, created: now, stored: now, freshUntil: freshFor.map { now + $0 })
        case .flush: seen.unwritten = flush()
        case .restart(let isOrderly):
            if isOrderly { seen.unwritten = flush() }
            restart()
        }
        seen.time = now
        seen.originCalls = originCalls
        seen.contents = tiers.map { tier in (0..<3).map { tier.copies[$0] } }
        seen.writes = visibleLogs.suffix(Self.watchedLogs).map { logs[$0] }
        return seen
    }

    /// Time passes, and what waits to be written is written when it is due.
    mutating func elapse(to moment: Int64) {
        while let (tier, key, due) = nextDue, due <= moment {
            now = max(now, due)
            writeWaiting(key, in: tier)
        }
        now = max(now, moment)
    }

    private var nextDue: (tier: Int, key: Int, due: Int64)? {
        tiers.indices.flatMap { tier in tiers[tier].waiting.map { (tier: tier, key: $0.key, due: $0.value.due) } }
            .min { ($0.due, $0.tier, $0.key) < ($1.due, $1.tier, $1.key) }
    }

    /// Memory empties, the disk stays, what waits to be written is lost, and no failure is remembered.
    private mutating func restart() {
        rests = [:]
        for tier in tiers.indices { tiers[tier].restart() }
        visibleLogs = []
    }

    /// A new log; what a background load writes, no caller sees.
    mutating func beginLog(isVisible: Bool) -> Int {
        logs.append([])
        if isVisible { visibleLogs.append(logs.count - 1) }
        return logs.count - 1
    }

    /// How long it is until something ends: where a step of time is worth trying.
    var boundaries: [Int64] {
        var moments = Array(rests.values)
        for tier in tiers {
            moments += tier.waiting.values.map(\.due)
            for copy in tier.copies.values {
                guard let limit = tier.limit(of: copy, in: spec) else { continue }
                moments.append(limit)
                moments += [spec.staleWhileRevalidate, spec.staleIfError].compactMap { $0 }.map { limit + $0.ns }
                guard let percent = spec.refreshAhead, let stored = copy.stored else { continue }
                moments.append(stored + (limit - stored) * Int64(percent) / 100)
            }
            switch tier.circuit {
            case .open(let until): moments.append(until)
            case .probing, .closed: break
            }
        }
        return moments.map { $0 - now }.filter { $0 >= 0 }.sorted()
    }
}

extension Int {
    /// Milliseconds as nanoseconds.
    var ns: Int64 { Int64(self) * 1_000_000 }
}
