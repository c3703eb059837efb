package import Pipeline

/// One pipeline as the file declares it. An object, since each rule looks at it and it is large.
public final class DeclaredPipeline: Sendable {
    /// The name of the pipeline.
    public let name: String
    /// The place where it is named.
    public let range: TextRange
    /// The place where it is named, with the merges on the way.
    let place: ConfigPlace
    /// The purpose of the pipeline.
    public let description: String?
    /// The parameters, in the order of the file.
    public let parameters: [ParameterConfig]
    /// The tiers, in the order of asking.
    public let tiers: [TierConfig]
    /// The feeds, in the order of the file.
    public let feeds: [FeedConfig]
    /// The composite that makes its values from the values of other pipelines; nil if none does.
    public let combine: CombineConfig?
    /// The references in its values, in the order of the file.
    public let links: [LinkConfig]
    /// The composite as a source of this pipeline; nil where it combines nothing.
    let composite: SourceConfig?
    /// The policies around them.
    package let policy: PipelinePolicy
    /// Which caches answers go to, with the places where they are named.
    let writeBack: DeclaredWriteBack
    /// Whether all its parameters could be read.
    let hasAllParameters: Bool
    /// Whether a field is most likely meant to be `combine`.
    let hasMistypedCombine: Bool
    /// Whether all its tiers could be read.
    let hasAllTiers: Bool
    /// Whether all its feeds could be read.
    let hasAllFeeds: Bool
    /// Whether all its links could be read.
    let hasAllLinks: Bool
    /// Whether all but the tiers and the feeds could be read; else the policy has defaults where something else is written.
    let isSound: Bool
    /// Where its fields stand.
    let fieldPlaces: FieldPlaces

    private init(_ member: ConfigNode.Member, at place: ConfigPlace, _ draft: Draft, isSound: Bool, fieldPlaces: FieldPlaces) {
        name = member.key
        range = member.keyRange
        self.place = place
        description = draft.description
        parameters = draft.parameters.parameters
        let composite = fieldPlaces.key(.combine).map { SourceConfig(compositeAt: $0) }
        let isNamed = composite == nil || draft.tiers.tiers.contains { $0.isComposite }
        tiers = draft.tiers.tiers + (isNamed ? [] : composite.map { [TierConfig(of: $0)] } ?? [])
        self.composite = composite
        combine = draft.combine
        links = draft.links.links
        feeds = draft.feeds.feeds
        policy = draft.policy
        writeBack = draft.writeBack
        hasAllParameters = draft.parameters.isComplete && !fieldPlaces.hasMistyped(.parameters, besides: Self.fieldNames)
        hasMistypedCombine = fieldPlaces.hasMistyped(.combine, besides: Self.fieldNames)
        hasAllTiers = draft.tiers.isComplete
        hasAllLinks = draft.links.isComplete
        hasAllFeeds = draft.feeds.isComplete && !fieldPlaces.hasMistyped(.live, besides: Self.fieldNames)
        self.isSound = isSound
        self.fieldPlaces = fieldPlaces
    }

    /// What the fields set.
    struct Draft {
        var description: String?
        var parameters = ParameterList.none
        var combine: CombineConfig?
        var tiers = TierList.none
        var links = LinkList.none
        var feeds = FeedList.none
        var policy = PipelinePolicy()
        var writeBack = DeclaredWriteBack.auto
    }

    static let fields = FieldGroup(PipelineField.allCases.map(\.setting), from: Draft())

    static let fieldNames = Set(PipelineField.allCases.map(\.rawValue))

    /// Whether answers are written to the cache of `tier`.
    func fills(_ tier: TierConfig) -> Bool {
        switch writeBack {
        case .auto: true
        case .none: false
        case .routes(let routes): routes.contains { $0.to.contains { $0.source.utf8.elementsEqual(tier.source.utf8) } }
        }
    }

    /// A mapping with these fields.
    package static var fieldType: FieldType { .object(fields.declarations) }

    /// The tiers that a list or a single name in place of a pipeline most likely is.
    private static func tiers(of node: ConfigNode) -> String? {
        switch node.content {
        case .sequence(let elements) where !elements.isEmpty: node.onOneLine
        case .scalar: node.scalarText.flatMap { Identifier.isValid($0) ? "[\($0)]" : nil }
        default: nil
        }
    }

    /// `tiers [memory]`, and `tiers` above a list, lack a `:`.
    private static func helpForColon(_ node: ConfigNode) -> String? {
        guard let text = node.scalarText, let name = text.split(separator: " ").first.map(String.init), fieldNames.contains(name) else {
            return nil
        }
        return "put a `:` after `\(name)`"
    }

    static func decode(_ member: ConfigNode.Member, with decoder: FieldDecoder) -> DeclaredPipeline? {
        guard decoder.countPart(at: member.keyRange) else { return nil }
        let place = decoder.places.place(ofKeyOf: member)
        return decoder.places.withValue(of: member) { node in
            guard case .mapping(let members) = node.content else {
                decoder.reportNoMapping(
                    node, of: member, declaring: "pipeline", fields: fieldNames,
                    help: helpForColon(node) ?? tiers(of: node).map { "write `\(member.key.inFlow.shortened): { tiers: \($0) }`" }
                        ?? "it needs at least `tiers: [SOURCE]`")
                return nil
            }
            var owner = FieldOwner("pipeline", named: member.key, range: member.keyRange, place: FieldAdvice.Place.pipeline)
            if !members.contains(where: { $0.key == "tiers" || $0.key == "combine" }) {
                owner.helps["tiers"] = "add `tiers: \(decoder.sampleTiers(for: member.key))`"
            }
            let mark = decoder.problems.mark
            guard let draft = fields.decode(members, of: owner, with: decoder) else { return nil }
            let places = FieldPlaces(members, with: decoder)
            // Of tiers that are no list, nothing is known.
            if draft.tiers.tiers.isEmpty, draft.tiers.errors == 0, places.key(.tiers) != nil { return nil }
            return DeclaredPipeline(
                member, at: place, draft, isSound: decoder.problems.errors(since: mark) == draft.tiers.errors + draft.feeds.errors,
                fieldPlaces: places)
        }
    }
}

extension FieldDecoder {
    /// Reports that `node` stands where a mapping declares the `noun` of `member`.
    ///
    /// - Parameter fields: the fields of that mapping: a member called like one of them lacks the name above it.
    func reportNoMapping(
        _ node: ConfigNode, of member: ConfigNode.Member, declaring noun: String, fields: Set<String>, help: @autoclosure () -> String
    ) {
        report(
            .wrongType, "expected a mapping for the \(noun) `\(member.key.shortened)`, found \(node.kind)",
            range: node.isNull ? member.keyRange : node.range,
            help: fields.contains(member.key)
                ? "`\(member.key)` stands in a \(noun), below its name: `NAME: { \(member.key): \(node.onOneLine ?? "…") }`" : help())
    }
}
