internal import Pipeline
package import PipelineConfig

/// What a source did, in the words of traces: `memory hit`, `disk scheduled`.
package struct TraceWord: Sendable, Hashable {
    package let source: String
    package let outcome: String

    package init(_ source: String, _ outcome: String) {
        (self.source, self.outcome) = (source, outcome)
    }

    init(_ attempt: Attempt) { self.init(attempt.source, attempt.outcome.rawValue) }
}

extension TraceWord: CustomStringConvertible {
    package var description: String { "\(source) \(outcome)" }
}

extension TraceWord: FieldValue {
    package static var fieldType: FieldType { .string }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TraceWord? {
        decoder.places.withTarget(of: node) { node in
            guard let text = ScenarioText.decode(node, with: decoder)?.text else { return nil }
            let parts = text.split(separator: " ", omittingEmptySubsequences: true)
            guard parts.count == 2 else {
                let isPart = decoder.fieldName == FetchExpectation.partsField.declaration.name
                decoder.report(
                    .malformed, "`\(text)` is not a \(isPart ? "part and what became of it" : "source and what it did")", at: node,
                    help: "write both, as in `\(isPart ? "/ads failed" : "memory hit")`")
                return nil
            }
            return TraceWord(String(parts[0]), String(parts[1]))
        }
    }

    package var written: String? { description }

    /// The list that a mapping of sources to what they did stands for: `[memory hit]` for `{ memory: hit }`; nil for one of orders.
    static func list(meantBy members: [ConfigNode.Member]) -> String? {
        let words = members.map { member in
            member.value.target.scalarText.flatMap { $0.isEmpty || $0.contains(" ") ? nil : "\(member.key) \($0)" }
        }
        guard !words.isEmpty, !words.contains(nil) else { return nil }
        return "[\(words.compactMap(\.self).joined(separator: ", "))]"
    }
}
