package import PipelineConfig

/// What a cache holds: a copy for each key, or the one of the pipeline's only key.
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
