internal import Pipeline
internal import PipelineConfig
import PipelineSending

/// The changes of the fields of one mapping: a tier, or a pipeline.
struct FieldEdits {
    struct Edit {
        let range: TextRange
        /// `` `ttl: 30s` ``.
        let field: String
        /// `is 15s`, `is dropped`.
        let what: String
        /// All of the mapping.
        let node: ConfigNode
    }

    private let node: ConfigNode
    private let text: (ConfigNode) -> String?

    /// - Parameter text: what a scalar says, its variables looked up.
    init(_ node: ConfigNode, reading text: @escaping (ConfigNode) -> String?) {
        (self.node, self.text) = (node, text)
    }

    func tier(_ plan: TierPlan) -> [Edit] {
        let isCache = plan.source.isWritable == true
        let canFail = !plan.source.isReal && !plan.source.alwaysAnswers
        return TierField.allCases.flatMap { field -> [Edit] in
            let name = field.rawValue
            switch field {
            case .ttl, .debounce, .maxDelay, .timeout, .softTimeout: return drop(name) + scale([name])
            case .jitter, .onNotFound, .lastResort: return drop(name)
            case .circuitBreaker: return drop(name) + scale([name, "open_for"])
            case .retry:
                let isTriedAgain = plan.policy.retry.map { $0.attempts > 1 } ?? false
                return scale([name, "base"]) + scale([name, "max"]) + (isTriedAgain ? change([name, "attempts"], to: "1") : [])
            case .onError: return canFail ? flip(name, from: "fail", to: "next", isFirst: plan.policy.onError == .fail) : []
            case .reads: return flip(name, from: "true", to: "false", isFirst: plan.policy.reads)
            case .writes: return isCache ? flip(name, from: "true", to: "false", isFirst: plan.policy.writes) : []
            }
        }
    }

    func pipeline() -> [Edit] {
        PipelineField.allCases.flatMap { field -> [Edit] in
            let name = field.rawValue
            switch field {
            case .staleWhileRevalidate, .staleIfError, .notFoundTTL, .deadline: return drop(name) + scale([name])
            case .refreshAhead, .format, .writeBack: return drop(name)
            // Tiers and feeds are changed one by one; of the others a test of this pipeline says nothing.
            case .description, .parameters, .combine, .tiers, .links, .live, .priority, .maxSize: return []
            }
        }
    }

    func feed() -> [Edit] {
        var edits = ["op", "version", "insert", "for", "sequence", "resync", "confirms"].flatMap { drop($0) }
        edits += drop("overlap") + scale(["overlap"]) + otherInsertion()
        // Each message has the value loaded again.
        return edits + drop("id", with: ["list", "item", "op", "version", "insert", "overlap"])
    }

    func send(_ kind: SendSpec) -> [Edit] {
        SendField.allCases.flatMap { field -> [Edit] in
            let name = field.rawValue
            switch field {
            case .debounce, .maxDelay, .expires, .idLifetime: return drop(name) + scale([name])
            case .answer, .scope, .coalesce, .idHeader, .ifMatch: return drop(name)
            case .order: return kind.changes.isEmpty ? [] : flip(name, from: "key", to: "none", isFirst: kind.isOrdered)
            case .retry:
                let isTriedAgain = kind.retry.attempts > 1
                return scale([name, "base"]) + scale([name, "max"]) + (isTriedAgain ? change([name, "attempts"], to: "1") : [])
            case .onConflict: return ConflictRule.allCases.filter { $0 != kind.onConflict }.flatMap { change([name], to: $0.rawValue) }
            // Changes are changed one by one; the others say what goes where, and what tests do not see.
            case .description, .parameters, .format, .to, .outbox, .changes, .priority: return []
            }
        }
    }

    /// A change that a send makes.
    func change() -> [Edit] {
        let other: String? =
            switch value(at: ["op"]).flatMap(self.text).flatMap({ SendChange.Operation(rawValue: $0) }) {
            case .upsert, .delete: SendChange.Operation.patch.rawValue
            case .patch: SendChange.Operation.upsert.rawValue
            case .replace, .refresh, nil: nil
            }
        let edits = ["version", "insert", "item"].flatMap { drop($0) } + (other.map { change(["op"], to: $0) } ?? []) + otherInsertion()
        // The value is loaded once it is sent.
        return edits + drop("op", with: ["item", "target", "id", "list", "version", "insert"])
    }

    /// The edits of a source that takes sends.
    func target(_ sending: SendTarget) -> [Edit] {
        sending.repetition == .always ? [] : flip("idempotent", from: "true", to: "false", isFirst: sending.repetition == .byID)
    }

    private func otherInsertion() -> [Edit] {
        switch value(at: ["insert"]).flatMap(self.text) {
        case "first": change(["insert"], to: "last")
        case "last": change(["insert"], to: "first")
        default: []
        }
    }

    /// The edit without a field and what needs it.
    private func drop(_ field: String, with others: [String]) -> [Edit] {
        guard let member = node.field(field), case .mapping(let members) = node.target.content else { return [] }
        let left = ConfigNode(.mapping(members.filter { $0.key != field && !others.contains($0.key) }), at: node.range)
        return [Edit(range: member.keyRange, field: words(member), what: "is dropped, with what needs it", node: left)]
    }

    private func drop(_ field: String) -> [Edit] {
        guard let member = node.field(field), case .mapping(let members) = node.target.content else { return [] }
        let left = ConfigNode(.mapping(members.filter { $0.key != field }), at: node.range)
        return [Edit(range: member.keyRange, field: words(member), what: "is dropped", node: left)]
    }

    /// A duration halved, and doubled.
    private func scale(_ path: [String]) -> [Edit] {
        guard let text = value(at: path).flatMap(self.text), let duration = try? Quantity.duration(text), duration > .nanoseconds(1) else {
            return []
        }
        return (change(path, to: (duration / 2).spelling) + change(path, to: (duration * 2).spelling))
    }

    private func flip(_ field: String, from one: String, to other: String, isFirst: Bool) -> [Edit] {
        let value = isFirst ? other : one
        guard node.field(field) == nil else { return change([field], to: value) }
        return [
            Edit(
                range: node.range, field: "`\(field)`", what: "is `\(value)`",
                node: node.setting(field, to: .plain(value, at: node.range), at: node.range))
        ]
    }

    private func change(_ path: [String], to text: String) -> [Edit] {
        guard let member = node.field(path[0]), let changed = node.changing(path[...], { .plain(text, at: $0.range) }) else { return [] }
        guard let old = value(at: path) else { return [] }
        let field = path.joined(separator: ".")
        return [
            Edit(
                range: member.keyRange, field: old.scalarText.map { "`\(field): \($0)`" } ?? "`\(field)`", what: "is `\(text)`",
                node: changed)
        ]
    }

    private func value(at path: [String]) -> ConfigNode? {
        path.reduce(Optional(node)) { $0?.field($1)?.value }?.target
    }

    private func words(_ member: ConfigNode.Member) -> String {
        member.value.target.scalarText.map { "`\(member.key): \($0)`" } ?? "`\(member.key)`"
    }
}

extension ConfigNode {
    /// A scalar without quotes.
    static func plain(_ text: String, at range: TextRange) -> ConfigNode {
        ConfigNode(.scalar(Scalar(text: text, isPlain: true)), at: range)
    }

    /// The member called `name` of a mapping, or of what the node stands for.
    func field(_ name: String) -> Member? { target.members.last { $0.key == name } }

    /// The mapping with the value of `name` changed; nil if there is none.
    func with(_ name: String, changed change: (ConfigNode) -> ConfigNode?) -> ConfigNode? {
        guard case .mapping(var members) = target.content, let index = members.lastIndex(where: { $0.key == name }) else { return nil }
        let member = members[index]
        guard let value = change(member.value.target) else { return nil }
        members[index] = Member(key: member.key, keyRange: member.keyRange, value: value, merges: member.merges)
        return ConfigNode(.mapping(members), at: range)
    }

    /// The mapping with the value at the end of `path` changed.
    func changing(_ path: ArraySlice<String>, _ change: (ConfigNode) -> ConfigNode?) -> ConfigNode? {
        guard let first = path.first else { return change(self) }
        return with(first) { $0.changing(path.dropFirst(), change) }
    }

    /// The mapping with `name` set; of a tier that is only a name, the mapping that it stands for.
    func setting(_ name: String, to value: ConfigNode, at place: TextRange) -> ConfigNode {
        if let changed = with(name, changed: { _ in value }) { return changed }
        var members = target.members
        if let source = target.scalarText { members = [Member(key: "source", keyRange: range, value: .plain(source, at: range))] }
        return ConfigNode(.mapping(members + [Member(key: name, keyRange: place, value: value)]), at: range)
    }
}
