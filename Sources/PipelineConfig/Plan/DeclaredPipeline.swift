package import Pipeline

/// One pipeline as the file declares it. An object, since each rule looks at it and it is large.
public final class DeclaredPipeline: Sendable {
    /// Its name.
    public let name: String
    /// Where it is named.
    public let range: TextRange
    /// The same, with the merges on the way.
    let place: ConfigPlace
    /// What it is for.
    public let description: String?
    /// Its parameters, in the order of the file.
    public let parameters: [ParameterConfig]
    /// Its tiers, in the order of asking.
    public let tiers: [TierConfig]
    /// Its feeds, in the order of the file.
    public let feeds: [FeedConfig]
    /// How its values are made from those of other pipelines; nil where they are not.
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

    private init(
        _ member: ConfigNode.Member, at place: ConfigPlace, description: String?, parameters: ParameterList, tiers: TierList,
        feeds: FeedList, combine: CombineConfig?, links: LinkList, policy: PipelinePolicy, writeBack: DeclaredWriteBack, isSound: Bool,
        fieldPlaces: FieldPlaces
    ) {
        name = member.key
        range = member.keyRange
        self.place = place
        self.description = description
        self.parameters = parameters.parameters
        let composite = fieldPlaces.key("combine").map { SourceConfig(compositeAt: $0) }
        let isNamed = composite == nil || tiers.tiers.contains { $0.isComposite }
        self.tiers = tiers.tiers + (isNamed ? [] : composite.map { [TierConfig(of: $0)] } ?? [])
        self.composite = composite
        self.combine = combine
        self.links = links.links
        self.feeds = feeds.feeds
        self.policy = policy
        self.writeBack = writeBack
        hasAllParameters = parameters.isComplete && !fieldPlaces.hasMistyped("parameters", besides: Self.fieldNames)
        hasAllTiers = tiers.isComplete
        hasAllLinks = links.isComplete
        hasAllFeeds = feeds.isComplete && !fieldPlaces.hasMistyped("live", besides: Self.fieldNames)
        self.isSound = isSound
        self.fieldPlaces = fieldPlaces
    }

    static let fields = FieldGroup(
        Field("description", default: String?.none, "What the pipeline is for."),
        Field("parameters", default: ParameterList.none, "The arguments of a fetch.", example: "[user]"),
        Field(
            "format", default: PayloadFormat.json,
            "The format of the payloads. A payload of another format is `invalid`, which counts as a failure."),
        Field(
            "combine", default: CombineConfig?.none,
            "How the value is made from those of other pipelines. Name `combine` in `tiers` to place it; otherwise it is asked last.",
            example: "{ object: { me: user, friends: friends } }"),
        Field("tiers", default: TierList.none, "The sources to ask, from the top down.", example: "[memory, api]")
            .required(unless: "combine"),
        Field(
            "links", default: LinkList.none,
            "The references in the value to values of other pipelines. Linked values load only when followed.",
            example: "{ author: { at: /author_id, pipeline: user } }"),
        Field(
            "live", default: FeedList.none,
            "Sources that report changes to the value, and what their messages do: load the value again, or change its list.",
            example: "[{ source: events, id: /id }]"),
        Field("write_back", default: DeclaredWriteBack.auto, "Which caches an answer is written to."),
        Field(
            "stale_while_revalidate", default: Duration?.none,
            "How long after expiry a copy is still served while it is refreshed in the background."),
        Field("stale_if_error", default: Duration?.none, "How long after expiry a copy is still served when the tiers below fail."),
        Field("not_found_ttl", default: Duration?.none, "How long an origin's `not_found` is remembered."),
        Field(
            "refresh_ahead", default: Ratio?.none, range: OpenRange(after: Ratio(0), before: Ratio(1)),
            "The part of the ttl after which a read starts a refresh in the background."),
        Field(
            "priority", default: PriorityWord.normal,
            "The priority of its fetches when requests must wait for an origin. A fetch may set its own; background refreshes always have `background`."
        ),
        Field("deadline", default: Duration?.none, range: OpenRange(after: Duration.zero), "The longest time for the whole fetch."),
        Field(
            "max_size", default: Size.mebibytes(64), range: Size(bytes: 1)...,
            "The largest payload that `put` stores. The `max_size` of a source limits what it loads.")
    ) {
        description, parameters, format, combine, tiers, links, feeds, writeBack, whileRevalidate, ifError, notFoundTTL, refreshAhead,
        priority,
        deadline, maxSize in
        let policy = PipelinePolicy(
            format: format, writeBack: writeBack.policy, staleWhileRevalidate: whileRevalidate, staleIfError: ifError,
            notFoundTTL: notFoundTTL, refreshAhead: refreshAhead?.value, priority: priority.priority, deadline: deadline, maxSize: maxSize)
        return (description, parameters, combine, tiers, links, feeds, policy, writeBack)
    }

    static let fieldNames = Set(fields.declarations.map(\.name))

    /// Whether answers are written to the cache of `tier`.
    func fills(_ tier: TierConfig) -> Bool {
        switch writeBack {
        case .auto: true
        case .none: false
        case .routes(let routes): routes.contains { $0.to.contains { $0.source.utf8.elementsEqual(tier.source.utf8) } }
        }
    }

    /// A mapping with these fields.
    static var fieldType: FieldType { .object(fields.declarations) }

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
                decoder.report(
                    .wrongType, "expected a mapping for the pipeline `\(member.key.shortened)`, found \(node.kind)",
                    range: node.isNull ? member.keyRange : node.range,
                    help: fieldNames.contains(member.key)
                        ? "`\(member.key)` stands in a pipeline, below its name: `NAME: { \(member.key): \(node.onOneLine ?? "…") }`"
                        : helpForColon(node) ?? tiers(of: node).map { "write `\(member.key.inFlow.shortened): { tiers: \($0) }`" }
                            ?? "it needs at least `tiers: [SOURCE]`")
                return nil
            }
            var owner = FieldOwner("pipeline", named: member.key, range: member.keyRange, place: .pipeline)
            if !members.contains(where: { $0.key == "tiers" || $0.key == "combine" }) {
                owner.helps["tiers"] = "add `tiers: \(decoder.sampleTiers(for: member.key))`"
            }
            let mark = decoder.problems.mark
            guard
                let (description, parameters, combine, tiers, links, feeds, policy, writeBack) = fields.decode(
                    members, of: owner, with: decoder)
            else { return nil }
            // Of tiers that are no list, nothing is known.
            if tiers.tiers.isEmpty, tiers.errors == 0, members.contains(where: { $0.key == "tiers" }) { return nil }
            return DeclaredPipeline(
                member, at: place, description: description, parameters: parameters, tiers: tiers, feeds: feeds, combine: combine,
                links: links, policy: policy, writeBack: writeBack,
                isSound: decoder.problems.errors(since: mark) == tiers.errors + feeds.errors,
                fieldPlaces: FieldPlaces(members, with: decoder))
        }
    }
}
