internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON
import PipelineLive
import PipelineSending

/// The rules for sends.
extension Invariant {
    static let ofSends = [asksOnce, lanes, laid, endsSends]

    /// The rule that an origin which may not be asked twice is not, unless a person says so; and that what is sent was made by its origin.
    static let asksOnce = Invariant { run in
        // Allowed are those of which a person says so.
        var (made, allowed, asked): (Set<String>, Set<String>, [String: Int]) = ([], [], [:])
        for event in run.outcome.events {
            if event.kind == .retry, let id = event.note { allowed.insert(id) }
            switch event.sending {
            case .request(let request):
                asked[request.source, default: 0] += 1
                if made.contains(request.id), !allowed.contains(request.id), run.mayNotBeRepeated(request.send) {
                    return run.violation(event, "\(request.send) \(request.id) was made twice", of: request.source, asked)
                }
                if request.mayBeMade {
                    made.insert(request.id)
                    allowed.remove(request.id)
                }
            case .state(let mark) where mark.state == .sent && !made.contains(mark.id):
                return Violation(
                    step: event.step, message: "\(mark.send) \(mark.id) is sent, and no origin has made it", expected: "error: true")
            case .state, .step, nil: break
            }
        }
        return nil
    }

    /// The rule that a send waits for each earlier one that changes the same value, or has the same scope.
    static let lanes = Invariant { run in
        let lanes = run.sent.mapValues(run.lanes)
        var (marks, asked): ([String: ScenarioEvent.SendMark], [String: Int]) = ([:], [:])
        for event in run.outcome.events {
            if let mark = event.sending?.mark { marks[mark.id] = mark }
            guard case .request(let request)? = event.sending else { continue }
            asked[request.source, default: 0] += 1
            guard let mine = marks[request.id] else { continue }
            let before = marks.values.filter { other in
                other.number < mine.number && other.state.holdsLanes && lanes[other.id]?.isDisjoint(with: lanes[mine.id] ?? []) == false
            }
            guard let first = before.min(by: { $0.number < $1.number }) else { continue }
            return run.violation(event, "\(mine.send) \(mine.id) went before \(first.send) \(first.id)", of: request.source, asked)
        }
        return nil
    }

    /// The rule that readers see the value with the sends that are not done, and caches the value without any.
    static let laid = Invariant { run in
        let (sends, unsure) = (run.sent, run.firstUnsureStep)
        guard !sends.isEmpty else { return nil }
        var marks: [String: ScenarioEvent.SendMark] = [:]
        for (index, step) in run.steps.enumerated() where index < unsure {
            let events = run.outcome.events.filter { $0.step == index + 1 }
            // What is under way meanwhile may be seen or not.
            if step.isFetch, !events.contains(where: { $0.sending != nil }) {
                for fetch in events where fetch.kind == .fetch && fetch.payload != nil {
                    if let violation = run.violation(fetch, marks, sends) { return violation }
                }
            }
            for mark in events.compactMap({ $0.sending?.mark }) { marks[mark.id] = mark }
        }
        return nil
    }

    /// The rule that no send is lost: when all origins answer for long enough, each comes to an end, or is held for a person.
    static let endsSends = Invariant { run in
        guard run.isSettled else { return nil }
        let marks = run.outcome.events.compactMap { $0.sending?.mark }.reduce(into: [:]) { $0[$1.id] = $1 }
        let waiting = marks.values.filter(\.state.holdsLanes)
        // One that needs what another makes waits for a person as long as that one does, and others wait for it.
        let sends = run.sent
        guard !waiting.contains(where: { sends[$0.id]?.needsOther != false }) else { return nil }
        return waiting.min { $0.number < $1.number }.map {
            Violation(step: run.steps.count, message: "\($0.send) \($0.id) is not sent, though its origin answers", expected: "sends: []")
        }
    }
}

extension RandomStep.Send {
    /// Indicates whether it names what another send makes.
    fileprivate var needsOther: Bool { arguments.values.contains { $0.hasPrefix("~") } }
}

extension ExploredRun {
    /// The sends of its steps, by their ids.
    fileprivate var sent: [String: RandomStep.Send] {
        steps.reduce(into: [:]) { sent, step in if case .send(let send) = step { sent[send.id] = send } }
    }

    fileprivate func mayNotBeRepeated(_ send: String) -> Bool {
        sends.first { $0.plan.name == send }.map { $0.plan.target.sending?.repetition == .never } ?? false
    }

    /// What its sends have in common with others that wait for them: the value of the pipeline, and the scope.
    fileprivate func lanes(of send: RandomStep.Send) -> Set<String> {
        guard let kind = sends.first(where: { $0.plan.name == send.name })?.spec else { return [] }
        var arguments = send.arguments
        for parameter in kind.parameters where arguments[parameter.name] == nil { arguments[parameter.name] = parameter.defaultValue }
        var lanes: Set<String> = []
        for change in kind.changes where kind.isOrdered && change.pipeline == pipeline.name {
            let key = pipeline.parameters.map { parameter in
                change.arguments[parameter.name]?.filled(with: arguments) ?? arguments[parameter.name] ?? parameter.defaultValue ?? ""
            }
            lanes.insert("key \(key)")
        }
        if let scope = kind.scope { lanes.insert("scope \(scope.filled(with: arguments))") }
        return lanes
    }

    /// A request that should not have come; `asked` counts it.
    fileprivate func violation(
        _ event: ScenarioEvent, _ message: String, of source: String, _ asked: [String: Int]
    ) -> Invariant.Violation {
        Invariant.Violation(
            step: event.step, message: message, expected: "\(RandomStep.key(source)): { calls: \((asked[source] ?? 1) - 1) }",
            showing: .look([source]))
    }

    /// The first step after which it is not known what the outbox has: a process ended that could not note what came of sends.
    fileprivate var firstUnsureStep: Int {
        let outboxes = Set(sends.map(\.plan.outbox.name))
        var down: Set<String> = []
        for (index, step) in steps.enumerated() {
            switch step {
            case .down(let source, let word) where outboxes.contains(source):
                if word == "false" { down.remove(source) } else { down.insert(source) }
            case .kill, .restart: if !down.isEmpty { return index }
            default: break
            }
        }
        return steps.count
    }

    /// What is wrong with a fetch while no send is under way.
    fileprivate func violation(
        _ fetch: ScenarioEvent, _ marks: [String: ScenarioEvent.SendMark], _ sends: [String: RandomStep.Send]
    ) -> Invariant.Violation? {
        let inOrder = marks.values.sorted { $0.number < $1.number }
        func violation(_ mark: ScenarioEvent.SendMark, _ words: String, _ expected: String) -> Invariant.Violation {
            Invariant.Violation(step: fetch.step, message: "\(mark.send) \(mark.id) \(words)", expected: expected)
        }
        for mark in inOrder {
            guard let send = sends[mark.id] else { continue }
            let isSeen = fetch.sends.contains { $0.id == mark.id }
            if isSeen, mark.state.isDone { return violation(mark, "is \(mark.state.rawValue), and is seen", "sends: []") }
            if !isSeen, !mark.state.isDone, isAlwaysSeen(send, over: fetch.base) {
                return violation(mark, "is \(mark.state.rawValue), and is not seen", "sends: [\(mark.send) \(mark.state.rawValue)]")
            }
            if mark.state != .sent, let base = fetch.base, send.isIn(base) {
                return violation(mark, "is \(mark.state.rawValue), and is in what caches hold", "error: true")
            }
            if mark.state.isDone, mark.state != .sent, let payload = fetch.payload, send.isIn(payload) {
                return violation(mark, "is \(mark.state.rawValue), and its change is seen", "error: true")
            }
        }
        return nil
    }

    /// Indicates whether a send fits every value that is such a list: a new item does.
    private func isAlwaysSeen(_ send: RandomStep.Send, over base: [UInt8]?) -> Bool {
        guard let kind = sends.first(where: { $0.plan.name == send.name })?.plan else { return false }
        return kind.changes.contains { change in
            guard change.pipeline == pipeline.name else { return false }
            if change.operation == .replace { return true }
            guard change.operation == .upsert, let merging = change.merging, !merging.id.isEmpty, let base,
                let range = JSONScanner.range(of: merging.list, in: base)
            else { return false }
            return ["[{", "[]"].contains(String(decoding: base[range].prefix(2), as: UTF8.self))
        }
    }

    /// Indicates whether it ends with a time in which all origins answer, so that nothing keeps sends from being sent.
    fileprivate var isSettled: Bool {
        let (targets, outboxes) = (Set(sends.map(\.plan.target.name)), Set(sends.map(\.plan.outbox.name)))
        let longest = sends.map { $0.plan.settlingTime(of: $0.spec) }.max() ?? .zero
        let last = steps.lastIndex { if case .wait(let time) = $0 { time >= longest } else { false } }
        guard !sends.isEmpty, let last, steps[last...].allSatisfy(\.leavesSends) else { return false }
        let answers = answers(before: last)
        let areWell = targets.allSatisfy { if case .payload = answers[$0] { true } else { false } }
        let isWell = answers.allSatisfy { if case .payload = $0.value { true } else { false } }
        let down = steps[..<last].reduce(into: Set<String>()) { down, step in
            guard case .down(let source, let word) = step, outboxes.contains(source) else { return }
            if word == "false" { down.remove(source) } else { down.insert(source) }
        }
        return areWell && isWell && down.isEmpty
    }
}

extension RandomStep {
    /// Indicates whether it begins nothing that a send waits for.
    fileprivate var leavesSends: Bool {
        switch self {
        case .wait, .fetch, .look: true
        default: false
        }
    }
}
