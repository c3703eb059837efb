import Pipeline
internal import PipelineJSON
import PipelineLive

/// A kind of send, among the pipelines that it changes.
struct DeclaredSend: Sendable {
    /// A send that fits its kind.
    struct Understood: Sendable {
        let place: SendPlace
        let effects: [KeyEffect]
    }

    let spec: SendSpec
    let target: any SendingSource
    let rules: SendRules
    /// Finds the pipelines that it changes.
    private let directory: PipelineDirectory

    /// Nil if the target takes no sends.
    init?(_ spec: SendSpec, in directory: PipelineDirectory) {
        guard let target = spec.target.source as? any SendingSource else { return nil }
        (self.spec, self.target, self.directory) = (spec, target, directory)
        rules = SendRules(spec, repeating: target.repetition)
    }

    /// The arguments with the defaults of those that are missing. Throws for one too many or too few.
    func complete(_ arguments: [String: String]) throws(SendError) -> [String: String] {
        let known = Set(spec.parameters.map { ExactName($0.name) })
        if let name = arguments.keys.sorted().first(where: { !known.contains(ExactName($0)) }) {
            throw .undeclaredParameter(name, send: spec.name, known: spec.parameters.map(\.name))
        }
        var complete = arguments
        for parameter in spec.parameters where complete[parameter.name] == nil { complete[parameter.name] = parameter.defaultValue }
        let missing = spec.parameters.map(\.name).filter { complete[$0] == nil }
        if !missing.isEmpty { throw .missingParameters(missing, send: spec.name) }
        return complete
    }

    /// Where `row` stands, and what it does. Throws why it does not fit.
    func understand(_ row: SendRow) throws(SendProblem) -> Understood {
        var effects: [KeyEffect] = []
        for change in spec.changes {
            let found = try change.item(in: row.payload, with: row.arguments, orTemporary: row.temporaryID)
            effects.append(
                KeyEffect(
                    key: try key(of: change, row.arguments), change: change, id: found.id, item: found.item, isTemporary: found.isTemporary)
            )
        }
        return Understood(place: place(of: row, effects), effects: effects)
    }

    private func place(of row: SendRow, _ effects: [KeyEffect]) -> SendPlace {
        var lanes = Set(spec.isOrdered ? effects.map { "key " + $0.key.text } : [])
        if let scope = spec.scope { lanes.insert("scope " + scope.filled(with: row.arguments)) }
        if lanes.isEmpty { lanes = ["send \(row.id)"] }
        let targets = effects.map { $0.key.text + " " + ($0.isTemporary ? row.id : $0.id?.text ?? "") }
        let needs = TemporaryID.all(in: row.arguments, spec.format == .json ? row.payload : [])
        return SendPlace(
            rules, to: spec.target.name, lanes: lanes,
            likeness: ([Key(pipeline: spec.name, parameters: row.arguments).text] + targets).joined(separator: "\n"),
            item: targets.isEmpty ? nil : targets.joined(separator: "\n"), needs: needs,
            isPatch: spec.changes.contains { $0.operation == .patch }, format: spec.format)
    }

    private func key(of change: SendChange, _ arguments: [String: String]) throws(SendProblem) -> Key {
        guard let pipeline = directory[change.pipeline] else { throw SendProblem("there is no pipeline `\(change.pipeline)`") }
        var given = change.arguments.mapValues { $0.filled(with: arguments) }
        for parameter in pipeline.spec.parameters where given[parameter.name] == nil { given[parameter.name] = arguments[parameter.name] }
        do {
            return try pipeline.key(given)
        } catch {
            throw SendProblem(error.message)
        }
    }

    /// The pipeline that a change is for.
    func pipeline(of effect: KeyEffect) -> DataPipeline? { directory[effect.change.pipeline] }

    /// The send as its target is asked to make it.
    func outgoing(_ row: SendRow) -> OutgoingSend {
        OutgoingSend(
            Key(pipeline: spec.name, parameters: row.arguments), payload: row.payload, format: spec.format, id: row.id,
            idHeader: spec.idHeader, condition: row.goesWithoutCondition(rules) ? nil : condition(of: row))
    }

    /// The condition as `If-Match` has it: what is no entity tag is quoted (RFC 9110, section 8.8.3).
    private func condition(of row: SendRow) -> String? {
        guard let tag = row.tag, spec.condition != .none else { return nil }
        let isTag = tag.count >= 2 && tag.hasSuffix("\"") && (tag.hasPrefix("\"") || tag.hasPrefix("W/\""))
        return isTag ? tag : "\"" + tag.filter { $0 != "\"" && !$0.isNewline } + "\""
    }

    /// The tag of `base` for a send; nil if it has none, or a weak one.
    func tag(in base: Entry?, of effect: KeyEffect?) -> String? {
        switch spec.condition {
        case .none: nil
        case .etag: Self.strong(base?.etag)
        case .pointer(let pointer): base.flatMap { tag(at: pointer, in: $0, of: effect) }
        }
    }

    /// Whether `base` has a tag that is none for a condition, since it is weak.
    func hasWeakTag(_ base: Entry?) -> Bool { spec.condition == .etag && base?.etag != nil && Self.strong(base?.etag) == nil }

    private func tag(at pointer: JSONPointer, in base: Entry, of effect: KeyEffect?) -> String? {
        guard let id = effect?.id, let policy = effect?.change.merging else {
            return base.payload.flatMap { JSONScanner.scalar(at: pointer, in: $0)?.text }
        }
        return CutEntry(base, for: policy).element(id).flatMap { JSONScanner.scalar(at: pointer, in: $0)?.text }
    }

    /// What an answer says of what was made.
    func made(by answer: SendAnswer) -> MadeItem {
        let body = answer.body
        let places = spec.answer != nil && !body.isEmpty && JSONScanner.problem(of: body) == nil ? spec.answer : nil
        let item = places?.item.flatMap { Self.part(at: $0, in: body) }
        var made = MadeItem()
        made.id = places?.id.flatMap { Self.scalar(at: $0, in: body) }
        if made.id == nil, let item { made.id = ownID(in: item) }
        if made.id == nil, let end = answer.location.flatMap(Self.lastSegment) { made.id = JSONText.string(end).text }
        switch spec.condition {
        case .none: break
        case .etag: made.tag = Self.strong(answer.etag)
        case .pointer(let pointer): made.tag = item.flatMap { JSONScanner.scalar(at: pointer, in: $0)?.text }
        }
        if !answer.isAccepted, !answer.body.isEmpty { made.detail = String(decoding: answer.body, as: UTF8.self) }
        return made
    }

    /// The item in the body of an answer; nil if it has none.
    func item(in body: [UInt8]) -> [UInt8]? {
        guard let pointer = spec.answer?.item, !body.isEmpty, JSONScanner.problem(of: body) == nil else { return nil }
        return Self.part(at: pointer, in: body)
    }

    private static func part(at pointer: JSONPointer, in body: [UInt8]) -> [UInt8]? {
        JSONScanner.range(of: pointer, in: body).map { Array(body[$0]) }
    }

    private func ownID(in item: [UInt8]) -> String? {
        spec.changes.compactMap { $0.merging?.id }.first { $0.count == 1 }.flatMap { Self.scalar(at: $0[0], in: item) }
    }

    /// The string or number at `pointer`, as JSON text.
    private static func scalar(at pointer: JSONPointer, in body: [UInt8]) -> String? {
        switch JSONScanner.scalar(at: pointer, in: body) {
        case .string(let text): JSONText.string(text).text
        case .number(let number): number.description
        case .null, .bool, nil: nil
        }
    }

    /// The last segment of the path of a URL, decoded; nil if it is empty.
    private static func lastSegment(of location: String) -> String? {
        let path = location.prefix { $0 != "?" && $0 != "#" }
        guard let last = path.split(separator: "/").last, !last.isEmpty else { return nil }
        return PercentEncoding.decoded(last.utf8) ?? String(last)
    }

    private static func strong(_ tag: String?) -> String? { tag.flatMap { $0.hasPrefix("W/") ? nil : $0 } }
}
