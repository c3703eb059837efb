internal import Pipeline
package import PipelineConfig

/// The behaviour of a source of a test: the answers of an origin, or the contents of a cache and its outages.
package struct SourceScript: Sendable {
    package enum Content: Sendable {
        case answers(AnswerList)
        case answersByArguments([(arguments: Placed<String>, answers: AnswerList)])
        case cache(CacheScript)
    }

    package let content: Content
    package let range: TextRange

    package var cache: CacheScript? { if case .cache(let cache) = content { cache } else { nil } }

    /// Every answer that may be given.
    var answers: [OriginAnswer] {
        switch content {
        case .answers(let list): list.all
        case .answersByArguments(let lists): lists.flatMap(\.answers.all)
        case .cache: []
        }
    }
}

/// The contents of a cache of a test, and its outages.
package struct CacheScript: FieldObject {
    package let holds: HeldCopies?
    /// The time before the test at which the copies were stored.
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

/// The time in which a cache is down, and the operations that fail.
package struct Outage: Sendable {
    /// Indicates whether reads fail.
    package var reads = true
    /// Indicates whether writes and removals fail.
    package var writes = true
    /// The beginning, counted from the moment at which the script is given.
    package var from = Duration.zero
    /// The time it lasts; nil for ever.
    package var lasting: Duration?

    /// Indicates whether it is under way `elapsed` after the script was given.
    func isUnderWay(after elapsed: Duration) -> Bool {
        elapsed >= from && lasting.map { elapsed < from + $0 } ?? true
    }
}

/// The outage of a source since it was given.
struct GivenOutage: Sendable {
    var outage: Outage?
    /// The moment when it was given, in nanoseconds since the beginning.
    var since: Int64 = 0

    /// Indicates whether reads fail, or writes, at the moment that is `elapsed` nanoseconds after the beginning.
    func isDown(forReads isRead: Bool, at elapsed: Int64) -> Bool {
        guard let outage, isRead ? outage.reads : outage.writes else { return false }
        return outage.isUnderWay(after: .nanoseconds(elapsed - since))
    }

    /// Throws while reads fail, or writes.
    func check(forReads isRead: Bool, at elapsed: Int64) throws {
        guard isDown(forReads: isRead, at: elapsed) else { return }
        var error = SourceError("down")
        error.isUnreached = true
        throw error
    }
}

extension Outage: FieldValue {
    private static let expected = "`true`, `false`, `reads`, `writes` or a mapping with `from` and `for`"

    package static var fieldType: FieldType { .either([.bool, .choice(["reads", "writes"]), OutageFields.fieldType]) }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Outage? {
        decoder.places.withTarget(of: node) { node in
            if case .mapping = node.content {
                return OutageFields.decode(node, with: decoder).map { Outage(from: $0.from, lasting: $0.lasting) }
            }
            guard let text = decoder.text(of: node, expecting: expected) else { return nil }
            switch text {
            case "true": return Outage()
            case "false": return Outage(reads: false, writes: false)
            case "reads": return Outage(writes: false)
            case "writes": return Outage(reads: false)
            default:
                decoder.report(.notAllowed, "`\(text)` is not allowed for `down`: expected \(expected)", at: node)
                return nil
            }
        }
    }

    package var written: String? { nil }
}

private struct OutageFields: FieldObject {
    let from: Duration
    let lasting: Duration?

    static let noun = "an outage"

    static let fields = FieldGroup(
        Field("from", default: Duration.zero, "When it begins."), Field("for", default: Duration?.none, "How long it lasts.")
    ) { OutageFields(from: $0, lasting: $1) }
}
