/// The tiers of a pipeline, of which there is at least one.
struct TierList: FieldValue {
    let tiers: [TierConfig]
    /// Whether all that are written could be read.
    let isComplete: Bool
    /// How many errors were reported of them.
    let errors: Int

    static var fieldType: FieldType { .list(TierConfig.fieldType, atLeast: 1) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TierList? {
        let count = decoder.withTarget(of: node) { if case .sequence(let tiers) = $0.content { tiers.count } else { 1 } }
        if count == 0 {
            decoder.report(.outOfRange, "the list of tiers is empty", at: node, help: "name at least one source: `tiers: [api]`")
        }
        let mark = decoder.mark
        return [TierConfig].decode(node, with: decoder).map {
            TierList(tiers: $0, isComplete: count > 0 && $0.count == count, errors: decoder.errors(since: mark))
        }
    }

    var written: String? { nil }
}
