package import PipelineConfig

/// The expectation of a source. A property that is nil is not checked.
package struct SourceExpectation: Sendable {
    package var isEmpty: Expected<Bool>?
    package var holds: Expected<HeldCopies>?
    package var calls: Expected<Int>?
    package var reads: Expected<Int>?
    package var writes: Expected<Int>?
    package var cancelled: Expected<Int>?
    /// How many different ids the sends had that came.
    package var ids: Expected<Int>?
    package var bodies: Expected<[Placed<ScenarioText>]>?
    package var sends: Expected<[Placed<TraceWord>]>?
}

extension SourceExpectation: OrderedExpectations {
    var all: [(any OrderedExpectation)?] { [isEmpty, holds, calls, reads, writes, cancelled, ids, bodies, sends] }
}

extension SourceExpectation: FieldValue {
    package static var fieldType: FieldType { .either([.choice(["empty"]), SourceExpectationFields.fieldType]) }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> SourceExpectation? {
        decoder.places.withTarget(of: node) { node in
            if case .mapping = node.content { return SourceExpectationFields.decode(node, with: decoder)?.expectation }
            guard let text = ScenarioText.decode(node, with: decoder)?.text else { return nil }
            guard text == "empty" else {
                decoder.report(
                    .notAllowed, "`\(text)` is not allowed: expected `empty` or a mapping", at: node,
                    help: "write `{ holds: … }` for what it holds")
                return nil
            }
            return SourceExpectation(isEmpty: Expected(everywhere: Placed(true, at: node.range), byOrder: NamedValues()))
        }
    }

    package var written: String? { nil }
}

private struct SourceExpectationFields: FieldObject {
    let expectation: SourceExpectation

    static let noun = "what is expected of a source"

    static let fields = FieldGroup(
        Field(
            "empty", default: Expected<Bool>?.none,
            "Whether the cache holds no copy, not even an expired one. Of an outbox: whether no send waits, is held or has failed."),
        Field("holds", default: Expected<HeldCopies>?.none, "The copy that the cache holds, or one for each key."),
        Field("calls", default: Expected<Int>?.none, "How often the source was asked."),
        Field("reads", default: Expected<Int>?.none, "How often the engine looked into the source."),
        Field("writes", default: Expected<Int>?.none, "How often the cache was written."),
        Field("cancelled", default: Expected<Int>?.none, "How many calls were cancelled before they answered."),
        Field("ids", default: Expected<Int>?.none, "How many different ids the sends had that came to the source."),
        Field(
            "bodies", default: Expected<[Placed<ScenarioText>]>?.none, "The payloads of the sends that came to the source, in order.",
            example: "['{\"name\":\"Ada\"}']"),
        Field(
            "sends", default: Expected<[Placed<TraceWord>]>?.none,
            "The sends of the outbox that are not done or have failed, and their states, in the order in which they were taken in.",
            example: "[add_friend waiting]")
    ) {
        SourceExpectationFields(
            expectation: SourceExpectation(
                isEmpty: $0, holds: $1, calls: $2, reads: $3, writes: $4, cancelled: $5, ids: $6, bodies: $7, sends: $8))
    }
}

/// The contents of a cache: a copy for each key, or the one of the pipeline's only key.
package struct HeldCopies: Sendable {
    package enum Copy: Sendable, Hashable {
        case payload([UInt8])
        case notFound
        case invalid
    }

    /// The copies by the arguments of their keys, `user=42`; one without arguments for the key of a pipeline without parameters.
    package let copies: [(arguments: Placed<String>?, copy: Placed<Copy>)]
}

extension HeldCopies: FieldValue, MappingValue {
    package static var fieldType: FieldType { .either([.string, .map(.string)]) }

    static func isValue(_ members: [ConfigNode.Member]) -> Bool? { members.allSatisfy { $0.key.contains("=") } }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> HeldCopies? {
        decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                return ScenarioText.decode(node, with: decoder).map {
                    HeldCopies(copies: [(nil, Placed(copy(of: $0), at: node.range))])
                }
            }
            return HeldCopies(
                copies: members.compactMap { member in
                    decoder.places.withValue(of: member) { node in
                        ScenarioText.decode(node, with: decoder).map {
                            (Placed(member.key, at: member.keyRange), Placed(copy(of: $0), at: node.range))
                        }
                    }
                })
        }
    }

    private static func copy(of text: ScenarioText) -> Copy {
        switch (text.isPlain, text.text) {
        case (true, "not_found"): .notFound
        case (true, "invalid"): .invalid
        default: .payload(text.bytes)
        }
    }

    package var written: String? { nil }
}
