internal import Pipeline
internal import PipelineConfig

/// The facts that follow from the plan of a pipeline. The sentences are in extensions, by what they are about.
struct PipelineFacts {
    typealias Ground = Explanation.Ground
    typealias Sentence = Explanation.Sentence

    let plan: PipelinePlan
    let sourceLimits: [String: SourceLimit]
    let sharings: [String: SourceSharing]
    let isTried: Bool
    /// The other pipelines, which parts and links are of.
    let plansByName: [String: PipelinePlan]
    let redactor: Redactor
    /// The tiers that a fetch may come to.
    let asked: [TierPlan]
    /// The caches among them that are asked only beside a stale copy.
    let besideStale: [TierPlan]
    /// The tier that ends every fetch that comes to it; nil if none does.
    let end: TierPlan?

    init(
        _ plan: PipelinePlan, sourceLimits: [String: SourceLimit] = [:], sharings: [String: SourceSharing] = [:], isTried: Bool = false,
        among pipelines: [PipelinePlan] = [], redactor: Redactor = Redactor()
    ) {
        plansByName = Dictionary(pipelines.map { ($0.name, $0) }) { first, _ in first }
        self.redactor = redactor
        self.plan = plan
        self.sourceLimits = sourceLimits
        self.sharings = sharings
        self.isTried = isTried
        let reach = plan.reach()
        asked = zip(plan.tiers, reach.degrees).filter { $1 == .asked || $1 == .besideStale }.map(\.0)
        besideStale = zip(plan.tiers, reach.degrees).filter { $1 == .besideStale }.map(\.0)
        end = reach.end.map { plan.tiers[$0] }
    }

    /// The caches among the tiers that are asked.
    var askedCaches: [TierPlan] { asked.filter(\.isCache) }

    /// The origins among the tiers that are asked.
    var askedOrigins: [TierPlan] { asked.filter { !$0.isCache } }

    /// The caches that an answer of `tier` goes to.
    func targets(of tier: TierPlan) -> [TierPlan] {
        tier.writesBackTo.compactMap { name in plan.tiers.first { $0.name.utf8.elementsEqual(name.utf8) } }
    }

    /// The ground of `field` of a tier.
    func ground(_ field: TierField, of tier: TierPlan) -> Ground {
        tier.places[field].map(Ground.place) ?? .byDefault
    }

    /// The ground of `field` of the pipeline.
    func ground(_ field: PipelineField) -> Ground {
        plan.places[field].map(Ground.place) ?? .byDefault
    }

    /// The ground of a tier's place in the order.
    func ground(of tier: TierPlan) -> Ground {
        isTried ? .order : tier.places.range.map(Ground.place) ?? .order
    }

    static func listed(_ names: [String], _ word: String = "and") -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " \(word) " + last
    }

    static func words(_ duration: Duration) -> String { duration.written ?? "" }
}

extension TierPlan {
    var name: String { source.name }
    /// The name of its source in sentences.
    var quoted: String { "`\(source.name)`" }
    /// The name of its source in sentences, with its type if the name does not say it.
    var quotedWithType: String { source.quotedWithType }
    var isCache: Bool { source.isWritable == true }
    func can(_ capability: Capability) -> Bool { source.capabilities?.contains(capability) ?? false }
    /// Indicates whether a read of it can fail: not one of what is at hand.
    var canFail: Bool { !can(.answersAtOnce) && !can(.alwaysAnswers) }
    /// Indicates whether it can say that there is no value, and the fetch ends with that. Other origins only miss, and the next tier is
    /// asked.
    var saysNotFound: Bool { canSayNotFound && policy.onNotFound == .stop }
    /// Indicates whether it can say that there is no value.
    var canSayNotFound: Bool { !isCache && !can(.alwaysAnswers) && (can(.neverMisses) || can(.keepsNotFound)) }
    /// Indicates whether it can have no value and say nothing of that.
    var canMiss: Bool {
        isCache || !(can(.alwaysAnswers) || can(.neverMisses)) || (canSayNotFound && policy.onNotFound == .next)
    }
    /// Indicates whether it keeps no copies, because they would be expired at once.
    var keepsNothing: Bool { policy.ttl == .zero }
}

extension SourceConfig {
    /// Its name in sentences, with its type if the name does not say it.
    var quotedWithType: String { type.map { $0 == name ? "`\(name)`" : "`\(name)` (\($0))" } ?? "`\(name)`" }
}
