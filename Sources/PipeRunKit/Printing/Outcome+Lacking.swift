internal import Pipeline
internal import PipelineJSON

extension [PartOutcome] {
    /// A line for each part that failed and that the answer does without. The targets of a link that failed for one reason share a line, which
    /// counts them.
    var lackLines: [String] {
        var groups: [LackGroup: [PartOutcome]] = [:]
        var order: [LackGroup] = []
        for (number, part) in filter(\.isDegraded).enumerated() {
            let group = LackGroup(part, number)
            if groups[group] == nil { order.append(group) }
            groups[group, default: []].append(part)
        }
        return order.compactMap { groups[$0] }.compactMap { parts in
            parts.first.map { Self.line($0, and: parts.count - 1) }
        }
    }

    private static func line(_ part: PartOutcome, and others: Int) -> String {
        let place = part.at.isEmpty ? "a part from `\(part.pipeline)`" : "`\(part.at)`"
        let reason = part.problem.map { ": \($0.message)" } ?? ""
        if others == 0 { return "incomplete: \(place) \(part.usesDefault ? "is its default" : "is left out")\(reason)" }
        return "incomplete: \(place) and \(others) more \(part.usesDefault ? "are their defaults" : "are left out")\(reason)"
    }
}

extension Outcome {
    /// What the answer does without, because of parts that failed: a line for each.
    var lackLines: [String] { parts.lackLines }

    /// Which part of the composite has no value, so that there is no whole: in words behind those that the whole is not found. Empty where
    /// that is not known.
    ///
    /// - Parameter policy: how the whole was asked for.
    func whyNoPart(of spec: PipelineSpec, _ policy: FetchPolicy) -> String {
        guard case .notFound = result, let combine = spec.combine, let part = absentPart(of: combine) else { return "" }
        let name = "`\(part.key?.text ?? part.pipeline)`"
        // Where no origin is asked, a part is known not to be there only when a cache has remembered that.
        let isKnown = policy != .cacheOnly || part.outcome?.answer != nil
        if part.at.isEmpty { return ": it is made from \(name), which \(isKnown ? "is not found" : "no cache has")" }
        let words = "its part `\(part.at)`, \(name)"
        return isKnown ? ": \(words), is not found" : ": no cache has \(words)"
    }

    /// The part without a value of which there is no whole: one that must have a value, one that such a part needs, or the one that the whole
    /// is made of.
    private func absentPart(of combine: CompositeSpec) -> PartOutcome? {
        let specs = combine.partSpecs.map(\.spec)
        // Those of parts within come after them.
        guard parts.count >= specs.count else { return nil }
        func absent(_ index: Int) -> PartOutcome? {
            if parts[index].usesDefault { return nil }
            switch parts[index].ending {
            case .notFound: return parts[index]
            case .skipped: return combine.needs(of: specs[index]).lazy.compactMap(absent).first
            case .value, .failed: return nil
            }
        }
        let required = specs.indices.filter { !specs[$0].isOptional && specs[$0].defaultValue == nil }
        let needed = required + (combine.isMadeOfFirst ? [0] : [])
        return needed.lazy.compactMap(absent).first
    }
}

/// What lines have in common that are one line: the place but for positions in lists, and the reason but for the key.
private struct LackGroup: Hashable {
    private let pipeline: String
    private let place: String
    private let reason: String
    private let usesDefault: Bool
    /// Tells apart parts that have no place of their own.
    private let number: Int

    init(_ part: PartOutcome, _ number: Int) {
        pipeline = part.pipeline
        place = Self.withoutPositions(part.at)
        let message = part.problem?.message ?? ""
        // Of what has no key, the place of its reference.
        reason = part.key.map { message.replacing($0.text, with: "") } ?? Self.withoutPositions(message)
        usesDefault = part.usesDefault
        self.number = part.at.isEmpty ? number : -1
    }

    private static func withoutPositions(_ text: String) -> String {
        let tokens = text.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "`" }
        return tokens.map { Int($0) == nil ? $0 : "*" }.joined(separator: "/")
    }
}
