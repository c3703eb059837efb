package import PipelineConfig

/// What a source of a test does: what an origin answers, or what a cache holds and whether it is there.
package struct SourceScript: Sendable {
    package enum Content: Sendable {
        case answers(AnswerList)
        case answersByArguments([(arguments: Placed<String>, answers: AnswerList)])
        case cache(CacheScript)
    }

    package let content: Content
    package let range: TextRange

    package var cache: CacheScript? { if case .cache(let cache) = content { cache } else { nil } }
}

/// What a cache of a test holds, and whether it is there.
package struct CacheScript: FieldObject {
    package let holds: HeldCopies?
    /// How long before the copies were stored.
    package let age: Duration?
    package let freshFor: Duration?
    package let down: Outage?
    package let takes: Duration?

    package static let noun = "a cache"

    package static let fields = FieldGroup(
        Field("holds", default: HeldCopies?.none, "The copy that it holds, or one for each key: `{ user=42: '…' }`."),
        Field("age", default: Duration?.none, "How long before the copies were stored.").needing("holds", "it is the age of a copy"),
        Field("fresh_for", default: Duration?.none, "How long the copies stay fresh; the ttl of the tier where it is left out.")
            .needing("holds", "it is a time of a copy"),
        Field("down", default: Outage?.none, "Whether it fails: `true`, `reads`, `writes`, or `{ from, for }`."),
        Field("takes", default: Duration?.none, "How long each read and each write takes.")
    ) { CacheScript(holds: $0, age: $1, freshFor: $2, down: $3, takes: $4) }
}

extension SourceScript: FieldValue {
    package static var fieldType: FieldType {
        .either([AnswerList.fieldType, .map(AnswerList.fieldType), .object(CacheScript.fields.declarations)])
    }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> SourceScript? {
        decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content, !members.isEmpty else {
                return AnswerList.decode(node, with: decoder).map { SourceScript(content: .answers($0), range: node.range) }
            }
            if members.allSatisfy({ $0.key.contains("=") }) {
                let answers = members.compactMap { member in
                    decoder.places.withValue(of: member) { AnswerList.decode($0, with: decoder) }
                        .map { (Placed(member.key, at: member.keyRange), $0) }
                }
                return SourceScript(content: .answersByArguments(answers), range: node.range)
            }
            let isCache = members.contains { ["holds", "down", "age"].contains($0.key) } || members.allSatisfy { $0.key == "takes" }
            if !isCache || members.contains(where: { AnswerFields.contents.contains($0.key) }) {
                return AnswerList.decode(node, with: decoder).map { SourceScript(content: .answers($0), range: node.range) }
            }
            return CacheScript.decode(node, with: decoder).map { SourceScript(content: .cache($0), range: node.range) }
        }
    }

    package var written: String? { nil }
}
