package import PipelineConfig

/// When a cache is down, and for what.
package struct Outage: Sendable {
    /// Whether reads fail, and whether writes and removals do.
    package var reads = true
    package var writes = true
    /// Counted from the moment at which the script is given.
    package var from = Duration.zero
    /// How long it lasts; nil for ever.
    package var lasting: Duration?

    /// Whether it is under way `elapsed` after the script was given.
    func isUnderWay(after elapsed: Duration) -> Bool {
        elapsed >= from && lasting.map { elapsed < from + $0 } ?? true
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
