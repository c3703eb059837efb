internal import Pipeline
internal import PipelineConfig

/// A rule that every run keeps, whatever happens.
package struct Invariant: Sendable {
    /// What broke the rule.
    package struct Violation: Sendable, Equatable {
        /// The step, from 1.
        package let step: Int
        /// What happened.
        package let message: String
        /// What a test expects of the fetch in its place, as `took: 2s`.
        package let expected: String

        package init(step: Int, message: String, expected: String) {
            (self.step, self.message, self.expected) = (step, message, expected)
        }
    }

    /// The first violation of a run.
    let violation: @Sendable (ExploredRun) -> Violation?

    package init(_ violation: @escaping @Sendable (ExploredRun) -> Violation?) {
        self.violation = violation
    }

    package static let all = [ends, deadlines, removals, lives, loads]

    /// Every step ends.
    static let ends = Invariant { run in
        guard let failure = run.outcome.failure else { return nil }
        return Violation(step: failure.step, message: failure.message, expected: "error: true")
    }

    /// No fetch takes longer than its deadline.
    static let deadlines = Invariant { run in
        for fetch in run.fetches {
            guard let limit = [run.pipeline.policy.deadline, fetch.limit].compactMap(\.self).min(), fetch.event.took > limit else {
                continue
            }
            return Violation(
                step: fetch.event.step, message: "a fetch took \(fetch.event.took.spelling), its deadline is \(limit.spelling)",
                expected: "took: \(limit.spelling)")
        }
        return nil
    }

    /// What was removed is not found in a cache before something is written to it.
    static let removals = Invariant { run in
        // When; what a load in the background found is told when that ends.
        var removed: [String: Duration] = [:]
        for event in run.outcome.events {
            for part in event.parts {
                if event.kind == .remove {
                    if part.outcome == "removed" { removed[part.source] = event.time }
                } else if part.kind == .write {
                    removed[part.source] = nil
                } else if let moment = removed[part.source], event.kind == .fetch || event.time > moment,
                    ["hit", "stale", "expired", "not_found"].contains(part.outcome)
                {
                    return event.violation(of: part, "a removed value came back", is: "miss")
                }
            }
        }
        return nil
    }

    /// No copy is fresh for longer than the one that it was made from, where no feed confirms copies.
    static let lives = Invariant { run in
        if run.pipeline.feeds.contains(where: \.feed.confirms) { return nil }
        var lives: [String: Duration] = [:]
        for event in run.outcome.events {
            if event.kind == .remove { lives = [:] }
            let answer = event.parts.last { $0.kind == .attempt && $0.outcome == "hit" }
            for part in event.parts where part.kind == .attempt && part.outcome == "hit" {
                if let limit = lives[part.source], event.time >= limit {
                    return event.violation(of: part, "a copy outlived the one that it was made from", is: "expired")
                }
            }
            for part in event.parts where part.kind == .write && event.kind != .remove {
                let own = run.pipeline.tiers.first { $0.source.name == part.source }?.policy.ttl.map { event.end + $0 }
                let maker = event.kind == .fetch ? answer.flatMap { lives[$0.source] } : nil
                lives[part.source] = [own, maker].compactMap(\.self).min()
            }
        }
        return nil
    }

    /// Fetches at once make one load: an origin that answers once has answered all of them.
    static let loads = Invariant { run in
        for (index, step) in run.steps.enumerated() where step == .crowd {
            let attempts = run.outcome.events.filter { $0.kind == .fetch && $0.step == index + 1 }.flatMap(\.parts)
            for (source, answer) in run.answers(before: index) {
                guard case .once = answer else { continue }
                let outcomes = Set(attempts.filter { $0.kind == .attempt && $0.source == source }.map(\.outcome))
                guard outcomes.isSuperset(of: ["hit", "error"]) else { continue }
                return Violation(step: index + 1, message: "fetches at once made two loads of `\(source)`", expected: "error: false")
            }
        }
        return nil
    }
}

extension ScenarioEvent {
    /// A violation by one attempt; a test expects `word` of it.
    fileprivate func violation(of part: Part, _ message: String, is word: String) -> Invariant.Violation {
        Invariant.Violation(step: step, message: "\(message): \(part.text)", expected: "tiers: [\(RandomStep.word(part.source)) \(word)]")
    }
}
