internal import Pipeline

/// The tiers of a pipeline, of which there is at least one.
struct TierList: FieldValue {
    let tiers: [TierConfig]
    /// Whether all that are written could be read.
    let isComplete: Bool
    /// How many errors were reported of them.
    let errors: Int

    /// No tier is written: the composite is the only one.
    static let none = TierList(tiers: [], isComplete: true, errors: 0)

    static var fieldType: FieldType { .list(TierConfig.fieldType, atLeast: 1) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TierList? {
        let count = decoder.places.withTarget(of: node) { if case .sequence(let tiers) = $0.content { tiers.count } else { 1 } }
        if count == 0 {
            decoder.report(
                .outOfRange, "the list of tiers is empty", at: node,
                help: "name at least one source, as in `tiers: \(decoder.sampleTiers(for: ""))`")
        }
        let mark = decoder.problems.mark
        let isMapping = decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content, !members.isEmpty else { return false }
            decoder.report(
                .wrongType, "expected a list for `tiers`, found a mapping", at: node,
                help: entries(namedBy: members).map { "write `tiers: [\($0)]`" } ?? "begin each tier with `- source: NAME`")
            return true
        }
        if isMapping || reportText(node, with: decoder) { return nil }
        return [TierConfig].decode(node, with: decoder).map {
            TierList(tiers: $0, isComplete: count > 0 && $0.count == count, errors: decoder.problems.errors(since: mark))
        }
    }

    /// Reports tiers that are one text: names with commas, arrows or dashes between them.
    private static func reportText(_ node: ConfigNode, with decoder: FieldDecoder) -> Bool {
        decoder.places.withTarget(of: node) { node in
            guard let text = node.scalarText, !text.isEmpty, text.utf8.count <= 1_000, !text.contains("$") else { return false }
            let known = decoder.knownSources.map(\.name)
            let words = text.split { $0.isWhitespace || ",;>()[]|→".contains($0) }.map(word).filter { !["", "//", "*"].contains($0) }
            let names = words.contains(where: known.contains) ? words.filter(known.contains) : words
            let hasDashes = text.split(separator: " ").contains { $0.first == "-" && $0 != "->" && $0 != "-" }
            decoder.report(
                .wrongType, "expected a list for `tiers`, found \(node.kind)", at: node,
                help: hasDashes
                    ? "put a space after each `-`, or write `tiers: [\(names.map(\.inFlow).joined(separator: ", "))]`".shortened(to: 200)
                    : "write `tiers: [\(names.map(\.inFlow).joined(separator: ", "))]`".shortened(to: 200))
            return true
        }
    }

    /// A name without the dashes around it.
    private static func word(_ text: Substring) -> String {
        var rest = text.drop { $0 == "-" }
        while let last = rest.last, "-=".contains(last) { rest = rest.dropLast() }
        return String(rest)
    }

    /// The list that was meant where sources are written as keys: `{ source: memory, ttl: 30s }, api`.
    static func entries(namedBy members: [ConfigNode.Member]) -> String? {
        let tiers = members.map { member -> String? in
            let name = member.key.inFlow
            switch member.value.content {
            case .mapping(let fields) where fields.isEmpty: return name
            case .mapping(let fields): return ConfigNode.onOneLine(fields).map { "{ source: \(name), \($0.dropFirst(2))" }
            default: return member.value.isNull ? name : nil
            }
        }
        let written = tiers.compactMap(\.self)
        let list = written.joined(separator: ", ")
        return written.count == tiers.count && list.utf8.count <= 120 ? list : nil
    }

    var written: String? { nil }
}
