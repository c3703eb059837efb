internal import Pipeline
internal import PipelineConfig
import PipelineLive

/// The feeds of one process.
struct FeedTrace {
    private let feeds: [String: CoveredFeed]
    private let confirming: [String]
    private let lives: [String: Duration]
    /// The feeds that were live, and of these the ones whose connection was lost since.
    private var hasBeenLive: Set<String> = []
    private var lost: Set<String> = []
    /// The moments when the copies of caches expire by their ttl, if nothing confirms them.
    private var limits: [String: Duration] = [:]

    init(_ pipeline: PipelinePlan) {
        feeds = Dictionary(pipeline.feeds.map { ($0.source.name, CoveredFeed(plan: $0)) }) { first, _ in first }
        confirming = pipeline.feeds.filter(\.feed.confirms).map(\.source.name)
        lives = pipeline.tiers.reduce(into: [:]) { lives, tier in
            if let ttl = tier.policy.ttl { lives[tier.source.name] = ttl }
        }
    }

    /// The points that the event reached, with the feed and the key of each.
    mutating func points(of event: ScenarioEvent) -> [(id: CoveragePoint.ID, source: String, key: String)] {
        switch event.feed {
        case .message(let source, let fates):
            return fates.flatMap { fate in
                (feeds[source]?.points(of: fate.meaning) ?? []).map { ($0, source, fate.key?.text ?? "") }
            }
        case .state(let source, let state):
            return branch(of: state, source).map { [(CoveragePoint.ID(source, $0), source, "")] } ?? []
        case nil: return []
        }
    }

    private mutating func branch(of state: FeedStatus.State, _ source: String) -> String? {
        guard feeds[source] != nil else { return nil }
        switch state {
        case .down:
            lost.insert(source)
            return "down"
        case .live:
            let isAgain = lost.remove(source) != nil && hasBeenLive.contains(source)
            hasBeenLive.insert(source)
            return isAgain ? "live again" : "live"
        case .off, .connecting, .syncing, .refused, .ended: return nil
        }
    }

    /// The feeds that confirmed the copy which a fetch found: it is served after the time for which it was stored.
    mutating func confirming(_ part: ScenarioEvent.Part, of event: ScenarioEvent) -> [String] {
        guard !confirming.isEmpty else { return [] }
        let place = "\(part.source) \(event.key)"
        guard part.kind == .write else {
            guard part.outcome == "hit", let limit = limits[place], event.time >= limit else { return [] }
            return confirming
        }
        if ["written", "renewed"].contains(part.outcome), let life = lives[part.source] { limits[place] = event.end + life }
        return []
    }
}
