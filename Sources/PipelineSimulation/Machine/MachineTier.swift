internal import Pipeline
internal import PipelineConfig

/// A tier of a ``Machine``: its rules, and what its source holds and does.
final class MachineTier {
    let name: String
    let isCache: Bool
    let policy: TierPolicy
    let freshness: Freshness
    /// Indicates whether the cache can remember that there is no value.
    let keepsNotFound: Bool
    /// The caches that its answers go to: those that answer at once before the others.
    let targets: [Int]
    let breaker: CircuitBreaker?
    /// The nanoseconds that it has to answer, all tries included.
    let limit: Int64
    /// The real source; nil for a simulated one.
    let memory: (any WritableSource)?
    /// The copies that a simulated cache holds.
    var copies: [Int32: Entry] = [:]
    var calls: SourceCalls
    let changes: ValueChanges?
    /// The reads of an origin that run, by their keys.
    var running: [MachineRead?]
    /// The number of reads that are being answered.
    var served = 0
    var waiting: [MachineRead] = []

    init(_ tier: SimulatedPipeline.Tier, of pipeline: SimulatedPipeline, clock: PipelineClock, keys: Int) throws {
        name = tier.name
        isCache = tier.isCache
        policy = tier.plan.policy
        freshness = Freshness(policy, pipeline.policy)
        keepsNotFound = tier.capabilities.contains(.keepsNotFound)
        let names = pipeline.tiers.map(\.name)
        let written = tier.plan.writesBackTo.compactMap(names.firstIndex(of:)).filter { pipeline.tiers[$0].plan.policy.writes }
        targets = written.filter { pipeline.tiers[$0].isReal } + written.filter { !pipeline.tiers[$0].isReal }
        breaker = policy.circuitBreaker.map { CircuitBreaker($0, clock: clock) }
        limit = policy.timeLimit.saturatedNanoseconds
        memory = try pipeline.memory(of: tier, clock: clock)
        calls = SourceCalls(tier.model, source: tier.name, seed: pipeline.seed, keys: keys)
        changes = ValueChanges(tier.model, seed: pipeline.seed)
        running = tier.isCache ? [] : Array(repeating: nil, count: keys)
    }

    var hasRoom: Bool { calls.model.concurrency.map { served < $0 } ?? true }
}

/// One read of a tier, all tries included, and the loads that wait for it: the first one began it.
final class MachineRead {
    let tier: Int
    let key: Int32
    var loads: [MachineLoad]
    /// The time when it is given up.
    let end: Int64
    /// The time when the load serves the stale copy that it has instead; `Int64.max` if it has none.
    let patience: Int64
    var tries = 1
    /// The time when the present try began.
    var began: Int64
    /// The time when the source began to answer it.
    var served: Int64 = 0
    /// The result of the present try; nil while it waits for its turn.
    var call: SourceCalls.Call?
    /// The way in which the circuit let the present try through.
    var admission = CircuitBreaker.Admission.free
    var isOver = false
    /// Indicates whether its end is among the events.
    var isWatched = false

    init(of tier: Int, for load: MachineLoad, at now: Int64, limit: Int64) {
        (self.tier, key, loads, began) = (tier, load.key, [load], now)
        end = min(MachineTime.end, now.addingSaturated(limit))
        patience = load.stale?.until ?? .max
    }
}

/// The load of one key, and the requests that wait for it.
final class MachineLoad {
    struct Expired {
        let tier: Int
        let entry: Entry
        let since: Timestamp
    }

    /// A copy that is served unless a cache below has a fresh one soon.
    struct Stale {
        let tier: Int
        let entry: Entry
        let until: Int64
    }

    let key: Int32
    /// Indicates whether it renews a copy in the background, the first expired one: then caches above that are not read.
    let isRefresh: Bool
    /// The requests, by their numbers; the first one began it.
    var requests: [Int]
    /// The tier that is asked next.
    var tier = 0
    /// The answer of the first tier when the request looked; nil if it was not asked.
    var looked: Entry??
    var expired: [Expired] = []
    var stale: Stale?
    /// The tiers that were asked, and those that have no copy at all, by their bits.
    var asked: UInt64 = 0
    var lacking: UInt64 = 0
    var hasFailed = false
    /// Indicates whether its last read was one that ran already.
    var hasJoined = false
    /// Indicates whether a read that ran already failed: then no refresh follows at once.
    var sharesFailure = false
    /// Indicates whether origins are not asked, since a load failed less than a second ago.
    var isResting = false
    /// Indicates whether the origins are asked after all, since there is no copy to serve.
    var isSecondTry = false

    init(_ key: Int32, request: Int?) {
        self.key = key
        isRefresh = request == nil
        requests = request.map { [$0] } ?? []
    }

    /// The copy that it renews, or that waits for a fresh one of the caches below.
    var renewed: Entry? { isRefresh ? expired.first?.entry : stale?.entry }

    /// Indicates whether it is a refresh of a copy of the tier at `index`, or of one below.
    func isRenewing(above index: Int) -> Bool { isRefresh && expired.first.map { index <= $0.tier } ?? false }

    /// Begins again, as if nothing had been asked.
    func beginAgain() {
        (tier, looked, expired, asked, lacking, hasFailed, hasJoined) = (0, nil, [], 0, 0, false, false)
        (sharesFailure, isResting, isSecondTry) = (false, false, true)
    }
}
