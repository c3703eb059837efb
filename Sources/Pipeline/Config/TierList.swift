/// The tiers of a pipeline, of which there is at least one.
struct TierList: FieldValue {
    let tiers: [TierConfig]

    static var fieldType: FieldType { .list(TierConfig.fieldType) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TierList? {
        let isEmpty = decoder.withTarget(of: node) { if case .sequence(let tiers) = $0.content { tiers.isEmpty } else { false } }
        if isEmpty {
            decoder.report(.outOfRange, "the list of tiers is empty", at: node, help: "name at least one source: `tiers: [api]`")
        }
        return [TierConfig].decode(node, with: decoder).map(TierList.init)
    }

    var written: String? { nil }
}
