internal import Pipeline
internal import PipelineConfig

/// A rule that every run keeps, whatever happens.
package struct Invariant: Sendable {
    /// A breach of a rule.
    package struct Violation: Sendable, Equatable {
        /// The step, from 1.
        package let step: Int
        /// The event that broke the rule, in words.
        package let message: String
        /// The expectation that a test has of the fetch in its place, as `took: 2s`.
        package let expected: String
        /// The step that has the expectation: a fetch, or a look.
        let showing: RandomStep

        package init(step: Int, message: String, expected: String) {
            self.init(step: step, message: message, expected: expected, showing: .fetch)
        }

        init(step: Int, message: String, expected: String, showing: RandomStep) {
            (self.step, self.message, self.expected, self.showing) = (step, message, expected, showing)
        }
    }

    /// The place of a copy.
    private struct Copy: Hashable {
        let source: String
        let key: String
    }

    /// The first violation of a run.
    let violation: @Sendable (ExploredRun) -> Violation?

    package init(_ violation: @escaping @Sendable (ExploredRun) -> Violation?) {
        self.violation = violation
    }

    package static let all = [ends, deadlines, removals, lives, loads] + ofSends

    /// The rule that every step ends.
    static let ends = Invariant { run in
        guard let failure = run.outcome.failure else { return nil }
        return Violation(step: failure.step, message: failure.message, expected: "error: true")
    }

    /// The rule that no fetch takes longer than its deadline.
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

    /// The rule that a removed value is not found in a cache before something is written to it, which at that moment another task may have
    /// done, or a load in the background got a value that may wait to be written. The copies of parts stay when a composite is removed.
    static let removals = Invariant { run in
        let caches = run.pipeline.tiers.filter { $0.source.isWritable == true }.map(\.source.name)
        func isNew(_ copy: Copy, from begin: Duration, to end: Duration, in step: Int) -> Bool {
            run.outcome.events.contains { event in
                event.mayHaveWritten(to: copy.source, at: end, in: step)
                    || event.key == copy.key && event.time >= begin && event.isLoadedAnew(within: begin...max(begin, end), besides: caches)
            }
        }
        // When; what a load in the background found is told when that ends.
        var removed: [Copy: Duration] = [:]
        for event in run.outcome.events {
            for part in event.parts {
                let copy = Copy(source: part.source, key: event.key)
                if event.kind == .remove {
                    if part.outcome == "removed" { removed[copy] = event.time }
                } else if part.kind == .write {
                    removed[copy] = nil
                } else if let moment = removed[copy], event.kind == .fetch || part.time ?? event.time > moment,
                    ["hit", "stale", "expired", "not_found"].contains(part.outcome),
                    !isNew(copy, from: moment, to: part.time ?? event.time, in: event.step)
                {
                    return event.violation(of: part, "a removed value came back", is: "miss")
                }
            }
        }
        return nil
    }

    /// The rule that no copy is fresh for longer than the one that it was made from was when that was read, where no feed confirms copies.
    static let lives = Invariant { run in
        if run.pipeline.feeds.contains(where: \.feed.confirms) { return nil }
        let key = run.fetches.map(\.event.key).first { !$0.isEmpty }
        let events = run.outcome.events.filter { $0.key.isEmpty || $0.key == key }
        // A step tells last what happened in the background while it was under way.
        let moments = events.enumerated().flatMap { index, event in
            event.parts.map { (index: index, part: $0, time: $0.time ?? event.end) }
        }
        let inTime = moments.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
        let forever = Duration.seconds(Int64.max)
        let caches = run.pipeline.tiers.filter { $0.source.isWritable == true }
        func ownEnd(of source: String, storedAt time: Duration) -> Duration {
            caches.first { $0.source.name == source }?.policy.ttl.map { time + $0 } ?? forever
        }
        // Until when the copy in a cache is fresh at the longest.
        var lives: [String: Duration] = [:]
        // The same of the copy that an event read, by the number of the event.
        var read: [Int: Duration] = [:]
        for (index, part, time) in inTime {
            let event = events[index]
            let life = lives[part.source] ?? forever
            switch part.kind {
            case .attempt where part.outcome == "hit":
                // What another task writes or loads at that moment may have come first.
                let isNew = events.contains {
                    $0.mayHaveWritten(to: part.source, at: time, in: event.step)
                        || $0.isLoadedAnew(within: time...time, besides: caches.map(\.source.name))
                }
                if time >= life, !isNew { return event.violation(of: part, "a copy outlived the one that it was made from", is: "expired") }
                read[index] = isNew ? forever : life
                // What a load in the background got may wait to be written, which nothing tells. It is what the cache has from then on.
                guard event.kind == .refresh, !caches.contains(where: { $0.source.name == part.source }) else { break }
                for cache in caches where cache.policy.debounce != nil {
                    let end = ownEnd(of: cache.source.name, storedAt: time)
                    lives[cache.source.name] = max(end, lives[cache.source.name] ?? end)
                }
            case .attempt: break
            case .write where event.kind == .remove: lives[part.source] = nil
            case .write where part.outcome == "skipped": break
            case .write:
                let written = min(ownEnd(of: part.source, storedAt: time), read[index] ?? forever)
                // Until then, or where it is not written, the cache has what it had.
                let isThere = part.outcome == "written" || part.outcome == "renewed"
                lives[part.source] = isThere ? written : max(written, lives[part.source] ?? written)
            }
        }
        return nil
    }

    /// The rule that fetches at once make one load: an origin that answers once has answered all of them. The loads of parts are not looked
    /// at, since two parts may ask for one value, one after the other.
    static let loads = Invariant { run in
        for (index, step) in run.steps.enumerated() where step == .crowd {
            let events = run.outcome.events.filter { $0.step == index + 1 }
            // What becomes of a send loads by itself.
            if events.contains(where: { $0.sending != nil }) { continue }
            let attempts = events.filter { $0.kind == .fetch }.flatMap(\.parts)
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
    /// Indicates whether something was written to `source` by another task at `time`, or by another fetch of the step.
    fileprivate func mayHaveWritten(to source: String, at time: Duration, in step: Int) -> Bool {
        guard kind == .write ? self.time == time : kind == .fetch && self.step == step else { return false }
        return parts.contains { $0.kind == .write && $0.source == source }
    }

    /// Indicates whether a load in the background got a value from an origin at one of these moments. It may wait to be written, which
    /// nothing tells.
    fileprivate func isLoadedAnew(within moments: ClosedRange<Duration>, besides caches: [String]) -> Bool {
        kind == .refresh
            && parts.contains {
                $0.kind == .attempt && $0.outcome == "hit" && !caches.contains($0.source) && moments.contains($0.time ?? time)
            }
    }

    /// A violation by one attempt; a test expects `word` of it.
    fileprivate func violation(of part: Part, _ message: String, is word: String) -> Invariant.Violation {
        Invariant.Violation(step: step, message: "\(message): \(part.text)", expected: "tiers: [\(RandomStep.word(part.source)) \(word)]")
    }
}
