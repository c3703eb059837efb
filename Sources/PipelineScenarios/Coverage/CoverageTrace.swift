internal import Pipeline
internal import PipelineConfig
import PipelineSending

/// The points that one run reached, in the order in which it did.
struct CoverageTrace {
    /// A point that was reached, and by what.
    struct Occurrence {
        let id: CoveragePoint.ID
        /// The tiers of the order in which the fetch asked.
        let order: Int
        let event: Int
        let step: Int
        let key: String
        /// The source that was asked or written, or the feed; nil for the fetch itself.
        let source: String?
        let isWrite: Bool
        /// Indicates whether it happened beside the fetches of the step.
        let isBackground: Bool
        /// Indicates whether it happened at a feed, or to a send.
        var isBeside = false
        /// Indicates whether it gave the answer of the fetch.
        var isAnswer = false
        /// Indicates whether it is a failure of a fetch that failed.
        var isFailure = false
    }

    /// The copy that the engine is asked about in place of one that a trace only says to have expired: its origin sets no windows of its
    /// own.
    private static let copy = Entry([], created: Timestamp(nanoseconds: 0))

    private(set) var occurrences: [Occurrence] = []
    private let events: [ScenarioEvent]
    private let orders: CoverageOrders
    private let windows: StaleWindows
    private var debounces: DebounceTrace
    private var circuits: CircuitTrace
    private var feeds: FeedTrace
    /// The attempts of the last fetch and the last refresh of a key.
    private var fetched: [String: [ScenarioEvent.Part]] = [:]
    private var refreshed: [String: String] = [:]

    init(_ events: [ScenarioEvent], _ orders: CoverageOrders) {
        (self.events, self.orders) = (events, orders)
        windows = StaleWindows(orders.base.policy)
        debounces = DebounceTrace(orders.base)
        circuits = CircuitTrace(orders.base)
        feeds = FeedTrace(orders.base)
        for index in events.indices where orders.concern(events[index]) { add(events[index], at: index) }
    }

    private mutating func note(
        _ id: CoveragePoint.ID, _ index: Int, source: String?, isWrite: Bool = false, isAnswer: Bool = false, isFailure: Bool = false
    ) {
        let event = events[index]
        let isFetch = event.kind == .fetch || event.kind == .finish
        occurrences.append(
            Occurrence(
                id: id, order: isFetch ? orders.index(ofStep: event.step) : 0, event: index, step: event.step, key: event.key,
                source: source,
                isWrite: isWrite, isBackground: !isFetch, isAnswer: isAnswer, isFailure: isFailure))
    }

    private mutating func noteBeside(_ id: CoveragePoint.ID, _ index: Int, source: String?, key: String) {
        occurrences.append(
            Occurrence(
                id: id, order: 0, event: index, step: events[index].step, key: key, source: source, isWrite: false, isBackground: true,
                isBeside: true))
    }

    private mutating func add(_ event: ScenarioEvent, at index: Int) {
        switch event.kind {
        case .fetch, .finish: addFetch(event, at: index)
        case .refresh: addRefresh(event, at: index)
        case .put: addWrites(event.parts, of: event, at: index, from: nil)
        case .write: addWrites(event.parts, of: event, at: index, from: refreshed[event.key])
        case .remove, .clear, .kill:
            for source in debounces.drop(event.kind == .remove ? event.key : nil) {
                note(.policy(.debounce, of: source, "dropped"), index, source: source, isWrite: true)
            }
            if event.kind == .kill { endProcess() }
        case .restart: endProcess()
        case .message, .feed:
            for (id, source, key) in feeds.points(of: event) { noteBeside(id, index, source: source, key: key) }
        case .request, .sending:
            for id in orders.sends.flatMap({ $0.points(of: event) }) { noteBeside(id, index, source: nil, key: "") }
        case .start, .cancel, .set, .evict, .flush, .wall, .disconnect, .reconnect, .send, .retry, .drop, .expect: break
        }
        for part in event.parts {
            for source in feeds.confirming(part, of: event) {
                noteBeside(.feed("confirms", of: source, "confirmed"), index, source: source, key: event.key)
            }
        }
    }

    private mutating func endProcess() {
        debounces = DebounceTrace(orders.base)
        circuits = CircuitTrace(orders.base)
        feeds = FeedTrace(orders.base)
        (fetched, refreshed) = ([:], [:])
    }

    private mutating func addFetch(_ event: ScenarioEvent, at index: Int) {
        for send in orders.sends where event.sends.contains(where: { $0.send == send.name }) {
            noteBeside(send.laid, index, source: nil, key: event.key)
        }
        let attempts = event.parts.filter { $0.kind == .attempt }
        let answer = attempts.last { ["hit", "not_found", "stale"].contains($0.outcome) }
        addAttempts(attempts, answer: answer, at: index)
        if answer == nil { addFailure(event, attempts, at: index) }
        // A copy that could have been served stale, and a fresh one below it.
        if let answer, isCopy(answer), attempts.contains(where: isWithinWindow) {
            note(.policy(.staleWhileRevalidate, "found below"), index, source: answer.source, isAnswer: true)
        }
        let origin = answer.flatMap { $0.outcome == "stale" ? nil : $0.source }
        addWrites(event.parts.filter { $0.kind == .write }, of: event, at: index, from: origin)
        fetched[event.key] = attempts
        refreshed[event.key] = nil
    }

    private mutating func addFailure(_ event: ScenarioEvent, _ attempts: [ScenarioEvent.Part], at index: Int) {
        if event.failure == .deadlineExceeded, orders.base.policy.deadline != nil {
            note(.policy(.deadline, "passed"), index, source: nil, isFailure: true)
        }
        if event.failure == .tierFailed, let last = attempts.last, orders.tier(last.source)?.policy.onError == .fail {
            note(.policy(.onError, of: last.source, "fail"), index, source: last.source, isFailure: true)
        }
    }

    private mutating func addRefresh(_ event: ScenarioEvent, at index: Int) {
        let answer = event.parts.last { ["hit", "not_found"].contains($0.outcome) }
        addAttempts(event.parts, answer: answer, at: index)
        if let last = fetched[event.key]?.last, last.outcome == "hit", orders.base.policy.refreshAhead != nil {
            note(.policy(.refreshAhead, "refreshed"), index, source: last.source)
        }
        guard let answer else { return }
        if let last = fetched[event.key]?.last, isCopy(answer) {
            let isStale = last.outcome == "stale" && last.reason?.contains("within stale_while_revalidate") == true
            let isAhead = last.outcome == "hit" && orders.base.policy.refreshAhead != nil
            let field: PipelineField? = isStale ? .staleWhileRevalidate : isAhead ? .refreshAhead : nil
            if let field { note(.policy(field, "found below"), index, source: answer.source) }
        }
        refreshed[event.key] = answer.source
        debounces.refreshed(by: answer.source, event)
    }

    private mutating func addWrites(_ parts: [ScenarioEvent.Part], of event: ScenarioEvent, at index: Int, from source: String?) {
        for part in parts {
            note(.write(part.source, part.outcome), index, source: part.source, isWrite: true)
            // A feed looks for a copy to merge changes into, too, which is written nowhere.
            if let source, source != part.source, ["written", "scheduled", "renewed", "unchanged"].contains(part.outcome) {
                note(.edge(from: source, to: part.source), index, source: part.source, isWrite: true)
            }
            if let branch = debounces.branch(of: part, event) {
                note(.policy(.debounce, of: part.source, branch), index, source: part.source, isWrite: true)
            }
            for branch in circuits.branches(ofWrite: part) {
                note(.policy(.circuitBreaker, of: part.source, branch), index, source: part.source, isWrite: true)
            }
        }
    }
}

/// Attempts, and the branches of policies that follow from them.
extension CoverageTrace {
    private mutating func addAttempts(_ parts: [ScenarioEvent.Part], answer: ScenarioEvent.Part?, at index: Int) {
        for part in parts where !part.isSkippedByCall {
            let isAnswer = part == answer
            let isFailure = answer == nil && part.hasFailed
            for id in ids(of: part) { note(id, index, source: part.source, isAnswer: isAnswer, isFailure: isFailure) }
            for branch in circuits.branches(ofAttempt: part) {
                note(.policy(.circuitBreaker, of: part.source, branch), index, source: part.source, isFailure: isFailure)
            }
        }
        addPassedWindow(parts, at: index)
    }

    /// Indicates whether a cache gave a fresh copy.
    private func isCopy(_ answer: ScenarioEvent.Part) -> Bool {
        answer.outcome == "hit" && orders.tier(answer.source)?.source.isWritable == true
    }

    /// Indicates whether the copy has expired, and is not too old for `stale_while_revalidate`.
    private func isWithinWindow(_ part: ScenarioEvent.Part) -> Bool {
        guard part.outcome == "expired", orders.base.policy.staleWhileRevalidate != nil, let age = part.expiredFor else { return false }
        return windows.allowWhileRevalidating(Self.copy, expiredSince: Self.copy.created, at: Self.copy.created + age)
    }

    private func ids(of part: ScenarioEvent.Part) -> [CoveragePoint.ID] {
        let tier = orders.tier(part.source)
        let reason = part.reason ?? ""
        var ids = [CoveragePoint.ID(part.source, part.outcome)]
        if part.outcome == "expired" || part.outcome == "stale" {
            if tier?.policy.ttl != nil { ids.append(.policy(.ttl, of: part.source, "crossed")) }
            if part.outcome == "expired", orders.base.policy.staleWhileRevalidate != nil, part.expiredFor != nil, !isWithinWindow(part) {
                ids.append(.policy(.staleWhileRevalidate, "passed"))
            }
        }
        if reason.contains("within stale_while_revalidate") { ids.append(.policy(.staleWhileRevalidate, "within")) }
        if reason.contains("within stale_if_error") { ids.append(.policy(.staleIfError, "within")) }
        if part.isSkippedByPause { ids.append(.policy(.staleIfError, "paused")) }
        if part.tries > 1 { ids.append(.policy(.retry, of: part.source, "second try")) }
        if reason.contains("soft timeout") { ids.append(.policy(.softTimeout, of: part.source, "passed")) }
        for branch in ["next", "fail"] where reason.contains("on_not_found: \(branch)") {
            ids.append(.policy(.onNotFound, of: part.source, branch))
        }
        if part.outcome == "not_found", tier?.source.isWritable == true { ids.append(.policy(.notFoundTTL, "remembered")) }
        return ids
    }

    /// A load that failed, and a copy that expired too long ago to be served.
    private mutating func addPassedWindow(_ parts: [ScenarioEvent.Part], at index: Int) {
        guard orders.base.policy.staleIfError != nil, parts.contains(where: \.hasFailed) else { return }
        let isAnswered = parts.contains { part in
            part.outcome == "stale" || ["hit", "not_found"].contains(part.outcome) && orders.tier(part.source)?.isLastResort != true
        }
        let passed = parts.first { part in
            guard part.outcome == "expired", let age = part.expiredFor else { return false }
            return !windows.allowAfterError(Self.copy, expiredSince: Self.copy.created, at: Self.copy.created + age)
        }
        guard !isAnswered, let passed else { return }
        note(.policy(.staleIfError, "passed"), index, source: passed.source, isFailure: true)
    }
}

extension ScenarioEvent.Part {
    var hasFailed: Bool { ["error", "timeout", "invalid"].contains(outcome) }

    var isSkippedByPause: Bool { outcome == "skipped" && reason?.hasPrefix("a load failed less than") == true }

    var isSkippedByCircuit: Bool { outcome == "skipped" && reason?.hasPrefix("circuit open") == true }

    /// Indicates whether a tier was not asked because the call said so, and not the configuration.
    fileprivate var isSkippedByCall: Bool { outcome == "skipped" && reason?.hasPrefix("policy ") == true }

    /// The time since the copy expired, rounded down to what is shown.
    fileprivate var expiredFor: Duration? {
        let words = (reason ?? "").split(separator: " ").map { $0.hasSuffix(",") ? $0.dropLast() : $0 }
        guard let index = words.firstIndex(of: "expired"), words.indices.contains(index + 2), words[index + 2] == "ago" else { return nil }
        return try? Quantity.duration(String(words[index + 1]))
    }
}
