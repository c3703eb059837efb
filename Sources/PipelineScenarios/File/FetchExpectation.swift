internal import Pipeline
package import PipelineConfig
import PipelineSending

/// The expectation of a fetch. A property that is nil is not checked.
package struct FetchExpectation: Sendable {
    package var value: Expected<ScenarioText>?
    package var bytes: Expected<ScenarioText>?
    package var json: Expected<JSONValue>?
    package var notFound: Expected<Bool>?
    package var error: Expected<ScenarioText>?
    package var source: Expected<String>?
    package var isStale: Expected<Bool>?
    package var age: Expected<Duration>?
    package var freshFor: Expected<TimeToLive>?
    package var took: Expected<Duration>?
    package var tiers: Expected<[Placed<TraceWord>]>?
    package var writes: Expected<[Placed<TraceWord>]>?
    package var parts: Expected<[Placed<TraceWord>]>?
    package var isComplete: Expected<Bool>?
    package var sends: Expected<[Placed<TraceWord>]>?
}

extension FetchExpectation: OrderedExpectations {
    var all: [(any OrderedExpectation)?] {
        [value, bytes, json, notFound, error, source, isStale, age, freshFor, took, tiers, writes, parts, isComplete, sends]
    }
}

extension FetchExpectation: FieldObject {
    package static let noun = "what is expected of a fetch"

    package static let fields = FieldGroup(
        isField, bytesField, jsonField, notFoundField, errorField, fromField, staleField, ageField, freshForField, tookField, tiersField,
        writesField, partsField, completeField, sendsField
    ) {
        value, bytes, json, notFound, error, source, isStale, age, freshFor, took, tiers, writes, parts,
        isComplete, sends in
        FetchExpectation(
            value: value, bytes: bytes, json: json, notFound: notFound, error: error, source: source, isStale: isStale, age: age,
            freshFor: freshFor, took: took, tiers: tiers, writes: writes, parts: parts, isComplete: isComplete, sends: sends)
    }

    static let isField = Field(
        "is", default: Expected<ScenarioText>?.none, "The value. Compared as JSON where the pipeline's format is `json`.",
        example: "'[\"v1\"]'")
    static let bytesField = Field("bytes", default: Expected<ScenarioText>?.none, "The value, byte for byte.")
    static let jsonField = Field("json", default: Expected<JSONValue>?.none, "The value, as JSON that is written in YAML.")
    static let notFoundField = Field("not_found", default: Expected<Bool>?.none, "Whether the answer is that there is no value.")
    static let errorField = Field(
        "error", default: Expected<ScenarioText>?.none, "A text that the error contains; `true` for any error.", example: "status 500")
    static let fromField = Field("from", default: Expected<String>?.none, "The source of the answer.", example: "memory")
    static let staleField = Field("stale", default: Expected<Bool>?.none, "Whether the value expired and is served all the same.")
    static let ageField = Field("age", default: Expected<Duration>?.none, "How old the value is.")
    static let freshForField = Field(
        "fresh_for", default: Expected<TimeToLive>?.none, "How long the value stays fresh; `none` for one without a limit.")
    static let tookField = Field("took", default: Expected<Duration>?.none, "How long the fetch takes.")
    static let tiersField = Field(
        "tiers", default: Expected<[Placed<TraceWord>]>?.none, "What each tier does, in order.", example: "[memory miss, api hit]")
    static let partsField = Field(
        "parts", default: Expected<[Placed<TraceWord>]>?.none,
        "Which parts of a composite have no value, and why, in the order of the whole: where they stand, or the name of their pipeline.",
        example: "[/ads failed]")
    static let completeField = Field(
        "complete", default: Expected<Bool>?.none, "Whether the whole has all that its parts could have given.")
    static let writesField = Field(
        "writes", default: Expected<[Placed<TraceWord>]>?.none,
        "What happens to each write, in order: \(WriteRecord.Outcome.allCases.map(\.rawValue).joined(separator: ", ")).",
        example: "[memory written]")
    static let sendsField = Field(
        "sends", default: Expected<[Placed<TraceWord>]>?.none,
        "Which sends are laid over the value, and their states, in the order in which they were taken in.",
        example: "[add_friend waiting]")
}

/// An attempt of a source in the words of traces: `memory hit`, `disk scheduled`. Also a send and its state: `add_friend waiting`.
package struct TraceWord: Sendable, Hashable {
    package let source: String
    package let outcome: String

    package init(_ source: String, _ outcome: String) {
        (self.source, self.outcome) = (source, outcome)
    }

    init(_ attempt: Attempt) { self.init(attempt.source, attempt.outcome.rawValue) }
    init(_ send: LaidSend) { self.init(send.send, send.state.rawValue) }
    init(_ row: SendRow) { self.init(row.name, row.state.rawValue) }
}

extension TraceWord: CustomStringConvertible {
    package var description: String { "\(source) \(outcome)" }
}

extension TraceWord: FieldValue {
    package static var fieldType: FieldType { .string }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TraceWord? {
        decoder.places.withTarget(of: node) { node in
            if case .mapping(let members) = node.content, members.count == 1, let word = members[0].value.target.scalarText {
                decoder.report(
                    .wrongType, "expected text for `\(decoder.fieldName)`, found \(node.kind)", at: node,
                    help: "write `\(members[0].key) \(word)`, without a `:`")
                return nil
            }
            guard let text = ScenarioText.decode(node, with: decoder)?.text else { return nil }
            let parts = text.split(separator: " ", omittingEmptySubsequences: true)
            guard parts.count == 2 else {
                let (words, example) =
                    switch decoder.fieldName {
                    case FetchExpectation.partsField.declaration.name: ("part and what became of it", "/ads failed")
                    case FetchExpectation.sendsField.declaration.name: ("send and its state", "add_friend waiting")
                    default: ("source and what it did", "memory hit")
                    }
                decoder.report(.malformed, "`\(text)` is not a \(words)", at: node, help: "write both, as in `\(example)`")
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

extension Placed<TraceWord> {
    /// The place of the source; nil if it and what it did are not written with one space between them.
    var sourceRange: TextRange? { part(from: 0, value.source) }
    var outcomeRange: TextRange? { part(from: value.source.unicodeScalars.count + 1, value.outcome) }

    private func part(from start: Int, _ text: String) -> TextRange? {
        let quotes = range.end.column - range.start.column - value.description.unicodeScalars.count
        guard range.start.line == range.end.line, quotes == 0 || quotes == 2 else { return nil }
        let column = range.start.column + quotes / 2 + start
        return TextRange(
            TextPosition(line: range.start.line, column: column),
            TextPosition(line: range.start.line, column: column + text.unicodeScalars.count))
    }
}
