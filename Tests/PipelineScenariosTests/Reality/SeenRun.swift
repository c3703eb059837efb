import Pipeline
import PipelineScenarios

/// What happened in a run, as far as it is the same in the scripted world and in reality: no times, no reasons.
struct SeenRun: Equatable, CustomStringConvertible {
    /// What each step did, in order: `1 fetch memory miss, api hit / memory written`.
    var steps: [String] = []
    /// Every write that ended, and every refresh in the background. What happens at one moment has no order.
    var besides: [String] = []

    init() {}

    /// What happened in the scripted world.
    init(_ outcome: ScenarioOutcome) {
        var step = 0
        for event in outcome.events {
            switch event.kind {
            case .fetch, .finish: add(event.kind.rawValue, step: event.step, event.attempts, event.writes)
            case .remove, .clear: add(event.kind.rawValue, step: event.step, [], event.writes)
            case .refresh: besides.append("refresh " + (event.attempts.last ?? ""))
            default: break
            }
            // Fetches of one step share their load.
            let isShared = event.isFetch && event.step == step
            if event.isFetch { step = event.step }
            if event.kind != .remove, event.kind != .clear, !isShared { besides += event.writes.filter { !$0.hasSuffix(" scheduled") } }
        }
        besides.sort()
    }

    mutating func add(_ word: String, step: Int, _ attempts: [String], _ writes: [String]) {
        steps.append("\(step) \(word) \(attempts.joined(separator: ", ")) / \(writes.joined(separator: ", "))")
    }

    var description: String { (steps + [besides.joined(separator: ", ")]).joined(separator: "\n") }
}

extension ScenarioEvent {
    fileprivate var isFetch: Bool { kind == .fetch || kind == .finish }
    fileprivate var attempts: [String] { parts.filter { $0.kind == .attempt }.map { "\($0.source) \($0.outcome)" } }
    fileprivate var writes: [String] { parts.filter { $0.kind == .write }.map { "\($0.source) \($0.outcome)" } }
}
