internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON
import PipelineLive
import PipelineSending

/// Sends, and what their origins answer, drawn at random.
struct DrawnSends {
    private let kinds: [(plan: SendPlan, spec: SendSpec)]
    /// The arguments of each fetch: what a send has of them makes the key that is fetched.
    private let arguments: [String: String]
    /// The ids of the sends of the row.
    private var ids: [String] = []

    /// The sources that take them, and the outboxes, each once.
    let targets: [String]
    let outboxes: [String]

    init(_ plans: [SendPlan], with arguments: NamedValues<ScenarioText>) {
        var seen: Set<String> = []
        kinds = plans.filter { seen.insert($0.name).inserted }.kinds
        self.arguments = arguments.dictionary
        targets = Set(plans.map(\.target.name)).sorted()
        outboxes = Set(plans.map(\.outbox.name)).sorted()
    }

    var isEmpty: Bool { kinds.isEmpty }

    /// The way in which the value of `pipeline` is merged; nil if no send changes a list of it.
    func merging(_ pipeline: String) -> MergePolicy? {
        kinds.lazy.flatMap(\.spec.changes).filter { $0.pipeline == pipeline }.compactMap(\.merging).first
    }

    /// A row begins, in which no send is known.
    mutating func begin() { ids = [] }

    /// An event of a send.
    ///
    /// - Parameter number: one that no other step has.
    mutating func step(_ number: Int, pausing time: Duration, _ random: inout RandomGenerator) -> RandomStep {
        switch Int.random(in: 0..<20, using: &random) {
        case ..<9: send(number, &random)
        case ..<15: targets.randomElement(using: &random).map { .answer($0, answer(of: $0, number, pausing: time, &random)) } ?? .fetch
        case ..<16: ids.randomElement(using: &random).map { .retry($0) } ?? .fetch
        case ..<18: ids.randomElement(using: &random).map { .drop($0) } ?? .fetch
        default: outboxes.randomElement(using: &random).map { .down($0, Bool.random(using: &random) ? "writes" : "false") } ?? .fetch
        }
    }

    /// The answer of a source that makes a send.
    func made(by target: String, _ number: Int, _ random: inout RandomGenerator) -> String {
        guard let kind = kinds.first(where: { $0.plan.target.name == target })?.spec, let places = kind.answer else { return "{}" }
        var body = JSONTree.members([])
        let id = Int.random(in: MergePolicy.drawnIDs, using: &random)
        let merging = kind.changes.lazy.compactMap(\.merging).first
        if let place = places.item { body.set(merging?.drawnItem(id, number, &random) ?? .members([]), at: place.tokens[...]) }
        if let place = places.id { body.set("\(id)", at: place.tokens[...]) }
        return body.text
    }

    private func answer(
        of target: String, _ number: Int, pausing time: Duration, _ random: inout RandomGenerator
    ) -> RandomStep.Answer {
        let body = made(by: target, number, &random)
        return switch Int.random(in: 0..<18, using: &random) {
        case ..<5: .payload(body)
        case ..<6: .slow(body, time)
        case ..<8: .lost(body)
        case ..<9: .lostThen(body)
        case ..<10: .errorThen(body)
        case ..<12: .error("error")
        case ..<13: .error(OriginAnswer.reset)
        case ..<14: .error("status 503")
        case ..<15: .error("status 500")
        case ..<16: .error("status 422")
        case ..<17: .error("status 412")
        default: .word("hangs")
        }
    }

    private mutating func send(_ number: Int, _ random: inout RandomGenerator) -> RandomStep {
        guard let kind = kinds.randomElement(using: &random)?.spec else { return .fetch }
        let targets = Set(kind.changes.compactMap(\.target).flatMap(\.parameters))
        var given: [String: String] = [:]
        for parameter in kind.parameters {
            if targets.contains(parameter.name), arguments[parameter.name] == nil {
                given[parameter.name] = itemID(&random)
            } else if let value = arguments[parameter.name] ?? (parameter.defaultValue == nil ? "1" : nil) {
                given[parameter.name] = value
            }
        }
        let id = "s\(ids.count + 1)"
        ids.append(id)
        return .send(
            RandomStep.Send(name: kind.name, id: id, arguments: given, payload: payload(of: kind, number, &random), number: number))
    }

    /// The id of an item; now and then the temporary one of what an earlier send makes.
    private func itemID(_ random: inout RandomGenerator) -> String {
        if let id = ids.randomElement(using: &random), Int.random(in: 0..<6, using: &random) == 0 { return "~" + id }
        return "\(Int.random(in: MergePolicy.drawnIDs, using: &random))"
    }

    /// A payload that has what each change of `kind` needs.
    private func payload(of kind: SendSpec, _ number: Int, _ random: inout RandomGenerator) -> String {
        if kind.changes.allSatisfy({ $0.operation == .delete && $0.target != nil }), !kind.changes.isEmpty { return "" }
        var payload = JSONTree.members([])
        for change in kind.changes {
            // The id of a new item may be left to its origin.
            let isOwn = change.operation != .upsert || Int.random(in: 0..<3, using: &random) > 0
            let id = change.target == nil && isOwn ? Int.random(in: MergePolicy.drawnIDs, using: &random) : nil
            if let item = change.merging?.drawnItem(id, number, &random) { payload.set(item, at: change.item.tokens[...]) }
            if change.operation == .replace, change.item.tokens.isEmpty {
                return merging(change.pipeline)?.drawnList(number, &random) ?? #"[{"n":\#(number)}]"#
            }
        }
        payload.set("\(number)", at: ["n"])
        return payload.text
    }
}

extension RandomStep.Send {
    /// Indicates whether `payload` has what it sends.
    func isIn(_ payload: [UInt8]) -> Bool {
        let text = String(decoding: payload, as: UTF8.self)
        return text.ranges(of: "\"n\":\(number)").contains { range in text[range.upperBound...].first?.isNumber != true }
    }
}

extension DrawnSends {
    /// Steps after which each send is done, since all origins answer for long enough.
    func settling(_ origins: [RandomStep], _ number: Int, _ random: inout RandomGenerator) -> [RandomStep] {
        let answers = targets.map { RandomStep.answer($0, .payload(made(by: $0, number, &random))) }
        let longest = kinds.map { $0.plan.settlingTime(of: $0.spec) }.max() ?? .zero
        return outboxes.map { .down($0, "false") } + origins + answers + [.wait(longest)]
    }
}

extension [SendPlan] {
    /// Each with its kind of send, without those that cannot be made.
    var kinds: [(plan: SendPlan, spec: SendSpec)] { compactMap { plan in plan.kind.map { (plan, $0) } } }
}

extension SendPlan {
    /// The kind of send over sources that nobody asks, made anew; nil if it cannot be made.
    var kind: SendSpec? {
        let sources = [target, outbox].map { (ExactName($0.name), SourceSpec($0.name, NoSource(), cache: nil, capabilities: [])) }
        return spec(of: Dictionary(sources) { first, _ in first })
    }

    /// A time after which a send of `kind` is done whose origin answers.
    func settlingTime(of kind: SendSpec) -> Duration {
        let pauses = kind.retry.max * 2 + (kind.maxDelay ?? kind.debounce * 10)
        return pauses + (target.ownTimeLimit ?? .seconds(30)) + .seconds(60)
    }

    /// The times after which something becomes of a send. Defaults of days would make each row long.
    var times: [Duration] {
        guard let kind else { return [] }
        return SendField.allCases.flatMap { field -> [Duration?] in
            switch field {
            case .debounce: [kind.debounce]
            case .maxDelay: [kind.debounce > .zero ? kind.maxDelay ?? kind.debounce * 10 : nil]
            case .retry: [kind.retry.base, kind.retry.max]
            case .expires: [places[ofSend: field] == nil ? nil : kind.expires]
            case .idLifetime: [places[ofSend: field] == nil ? nil : kind.idLifetime]
            case .description, .parameters, .format, .to, .outbox, .changes, .answer, .order, .scope, .priority, .coalesce, .idHeader,
                .ifMatch, .onConflict:
                []
            }
        }.compactMap(\.self).filter { $0 > .zero && $0 < .seconds(400 * 86_400) }
    }
}

/// A source that has nothing.
private struct NoSource: Source {
    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }
}
