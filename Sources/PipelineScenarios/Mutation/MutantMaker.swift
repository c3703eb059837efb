internal import Pipeline
package import PipelineConfig
import PipelineSending

/// Makes the mutants of a configuration by changing its document.
struct MutantMaker {
    private let root: ConfigNode
    private let text: (ConfigNode) -> String?
    private var mutants: [Mutant] = []

    /// The mutants of the pipelines and of the sends that are called so, in reading order.
    ///
    /// - Parameter text: what a scalar says, its variables looked up.
    static func mutants(
        of root: ConfigNode, _ plan: Plan, pipelines names: Set<String>, sends: Set<String>, reading text: @escaping (ConfigNode) -> String?
    ) -> [Mutant] {
        var maker = MutantMaker(root: root, text: text)
        for pipeline in plan.pipelines where names.contains(pipeline.name) { maker.add(pipeline) }
        let sent = plan.sends.filter { sends.contains($0.name) }
        for send in sent { maker.add(send, testedWith: names.sorted().first ?? "") }
        var targets: Set<String> = []
        for send in sent where targets.insert(send.target.name).inserted {
            maker.addTarget(
                of: send, sends: Set(sent.filter { $0.target === send.target }.map(\.name)), testedWith: names.sorted().first ?? "")
        }
        return maker.mutants.enumerated().sorted { ($0.element.range.start, $0.offset) < ($1.element.range.start, $1.offset) }.map(
            \.element)
    }

    private init(root: ConfigNode, text: @escaping (ConfigNode) -> String?) {
        (self.root, self.text) = (root, text)
    }

    private mutating func add(_ pipeline: PipelinePlan) {
        guard let node = root.field("pipelines")?.value.field(pipeline.name)?.value else { return }
        let editor = PipelineEditor(pipeline: pipeline, node: node.target, text: text)
        for edit in editor.edits {
            guard let changed = root.with("pipelines", changed: { $0.with(pipeline.name, changed: { _ in edit.node }) }) else { continue }
            mutants.append(Mutant(pipeline: pipeline.name, range: edit.range, summary: edit.summary, sources: edit.sources, root: changed))
        }
    }
}

/// The mutants of kinds of sends, and of the sources that take them.
extension MutantMaker {
    /// Adds the mutants of a kind of send.
    ///
    /// - Parameter pipeline: the pipeline whose tests send it, if it changes none.
    private mutating func add(_ send: SendPlan, testedWith pipeline: String) {
        guard let node = root.field("sends")?.value.field(send.name)?.value.target, let kind = send.kind else { return }
        var edits = FieldEdits(node, reading: text).send(kind)
        let elements = if case .sequence(let elements)? = node.field("changes")?.value.target.content { elements } else { [ConfigNode]() }
        func with(_ changes: [ConfigNode]) -> ConfigNode? {
            node.with("changes") { ConfigNode(.sequence(changes), at: $0.range) }
        }
        for (index, element) in elements.enumerated() {
            let changed = element.target.field("pipeline")?.value.target.scalarText ?? ""
            func add(_ element: ConfigNode?, _ range: TextRange, _ field: String, _ what: String) {
                var changes = elements
                changes.remove(at: index)
                if let element { changes.insert(element, at: index) }
                if let node = with(changes) { edits.append(FieldEdits.Edit(range: range, field: field, what: what, node: node)) }
            }
            add(nil, element.range, "the change of `\(changed)`", "is dropped")
            for edit in FieldEdits(element.target, reading: text).change() { add(edit.node, edit.range, edit.field, edit.what) }
        }
        add(edits, of: send.name, in: "sends", sends: [send.name], testedWith: send.changes.first?.pipeline ?? pipeline)
    }

    /// Adds the mutants of the source that takes a send, and others.
    private mutating func addTarget(of send: SendPlan, sends: Set<String>, testedWith pipeline: String) {
        let name = send.target.name
        guard let node = root.field("sources")?.value.field(name)?.value.target, let sending = send.target.sending else { return }
        add(
            FieldEdits(node, reading: text).target(sending), of: name, in: "sources", sends: sends,
            testedWith: send.changes.first?.pipeline ?? pipeline)
    }

    private mutating func add(
        _ edits: [FieldEdits.Edit], of name: String, in section: String, sends: Set<String>, testedWith pipeline: String
    ) {
        for edit in edits {
            guard let changed = root.with(section, changed: { $0.with(name, changed: { _ in edit.node }) }) else { continue }
            let summary = "\(edit.field) of `\(name)` \(edit.what)"
            mutants.append(Mutant(pipeline: pipeline, range: edit.range, summary: summary, sources: [], sends: sends, root: changed))
        }
    }
}

/// The changes that can be made to one pipeline.
private struct PipelineEditor {
    struct Edit {
        let range: TextRange
        let summary: String
        let sources: [String]
        /// The pipeline.
        let node: ConfigNode
    }

    let pipeline: PipelinePlan
    let node: ConfigNode
    let text: (ConfigNode) -> String?

    var edits: [Edit] { orderEdits + tierEdits + fieldEdits + edgeEdits + feedEdits }

    private var tiers: [ConfigNode] {
        guard let list = node.field("tiers")?.value.target else { return [] }
        if case .sequence(let elements) = list.content { return elements }
        return [list]
    }

    private func with(_ tiers: [ConfigNode]) -> ConfigNode? {
        node.with("tiers") { ConfigNode(.sequence(tiers), at: $0.range) }
    }

    private static func source(_ tier: ConfigNode) -> String? {
        tier.target.scalarText ?? tier.target.field("source")?.value.target.scalarText
    }

    private var orderEdits: [Edit] {
        let tiers = tiers
        var edits: [Edit] = []
        for (index, tier) in tiers.enumerated() {
            guard let name = Self.source(tier) else { continue }
            if index + 1 < tiers.count, let next = Self.source(tiers[index + 1]) {
                var swapped = tiers
                swapped.swapAt(index, index + 1)
                if let node = with(swapped) {
                    edits.append(
                        Edit(range: tier.range, summary: "`\(name)` and `\(next)` are swapped", sources: [name, next], node: node))
                }
            }
            var fewer = tiers
            fewer.remove(at: index)
            if !fewer.isEmpty, let node = with(fewer) {
                edits.append(Edit(range: tier.range, summary: "`\(name)` is dropped", sources: [name], node: node))
            }
        }
        return edits
    }

    private var tierEdits: [Edit] {
        tiers.enumerated().flatMap { index, tier -> [Edit] in
            guard let name = Self.source(tier), let plan = pipeline.tiers.first(where: { $0.source.name == name }) else { return [] }
            let changes = FieldEdits(tier.target, reading: text).tier(plan)
            return changes.compactMap { change in
                var changed = tiers
                changed[index] = change.node
                return with(changed).map {
                    Edit(range: change.range, summary: "\(change.field) of `\(name)` \(change.what)", sources: [name], node: $0)
                }
            }
        }
    }

    private var fieldEdits: [Edit] {
        FieldEdits(node, reading: text).pipeline().map {
            Edit(range: $0.range, summary: "\($0.field) \($0.what)", sources: [], node: $0.node)
        }
    }

    /// The edits that leave a feed out, or change what it does. Whether a test reaches it is not known by the sources that are asked.
    private var feedEdits: [Edit] {
        guard case .sequence(let feeds)? = node.field("live")?.value.target.content else { return [] }
        func with(_ feeds: [ConfigNode]) -> ConfigNode? {
            feeds.isEmpty
                ? ConfigNode(.mapping(node.members.filter { $0.key != "live" }), at: node.range)
                : node.with("live") { ConfigNode(.sequence(feeds), at: $0.range) }
        }
        return feeds.enumerated().flatMap { index, feed -> [Edit] in
            guard let name = Self.source(feed) else { return [] }
            var fewer = feeds
            fewer.remove(at: index)
            let dropped = with(fewer).map { Edit(range: feed.range, summary: "`\(name)` is dropped", sources: [], node: $0) }
            let changed = FieldEdits(feed.target, reading: text).feed().compactMap { change in
                var changed = feeds
                changed[index] = change.node
                return with(changed).map {
                    Edit(range: change.range, summary: "\(change.field) of `\(name)` \(change.what)", sources: [], node: $0)
                }
            }
            return [dropped].compactMap(\.self) + changed
        }
    }

    /// The edits that leave an edge of `write_back` out.
    private var edgeEdits: [Edit] {
        let edges = pipeline.tiers.flatMap { tier in tier.writesBackTo.map { (from: tier.source.name, to: $0) } }
        let range = pipeline.places[.writeBack] ?? pipeline.places.range ?? node.range
        return edges.map { edge in
            var routes: [ConfigNode.Member] = []
            for tier in pipeline.tiers {
                let targets = tier.writesBackTo.filter { tier.source.name != edge.from || $0 != edge.to }
                guard !targets.isEmpty else { continue }
                let list = ConfigNode(.sequence(targets.map { .plain($0, at: range) }), at: range)
                routes.append(ConfigNode.Member(key: tier.source.name, keyRange: range, value: list))
            }
            let value = routes.isEmpty ? ConfigNode.plain("none", at: range) : ConfigNode(.mapping(routes), at: range)
            return Edit(
                range: range, summary: "answers of `\(edge.from)` are not written to `\(edge.to)`", sources: [edge.from],
                node: node.setting("write_back", to: value, at: range))
        }
    }
}

/// A configuration with one thing changed.
package struct Mutant: Sendable {
    /// The pipeline that is changed.
    package let pipeline: String
    /// The place of the file that says what is changed.
    package let range: TextRange
    /// The change in words: `` `ttl: 30s` of `memory` is `15s` ``.
    package let summary: String
    /// A test of the pipeline runs when it reaches one of these sources; any does where there are none.
    let sources: [String]
    /// The sends that are changed: a test runs when it sends one of them. Empty for a change of the pipeline.
    package var sends: Set<String> = []
    /// All of the document.
    let root: ConfigNode
}
