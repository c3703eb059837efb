import Pipeline
public import PipelineJSON
public import PipelineLive

/// One feed as the file declares it: a change source, and what its messages do in a pipeline. An object, since each rule looks at it and it is
/// large.
public final class FeedConfig: Sendable {
    /// The name of its source.
    public let source: String
    /// The place where the source is named.
    public let range: TextRange
    /// The rule by which messages are merged; nil: each only reloads the value.
    public let merging: MergePolicy?
    /// The places of the values of parameters in a message, by which it is known for which key it is.
    public let addressing: [String: JSONPointer]
    /// The place of the numbers without gaps in a message.
    public let sequence: JSONPointer?
    /// The message that asks for the value to be reloaded.
    package let resync: MessagePattern?
    /// Indicates whether a copy counts as confirmed while the feed is live.
    public let confirms: Bool
    /// The time before a load began from which changes are merged into it, too.
    public let overlap: Duration
    /// Where the source is named, with the aliases and merges on the way.
    let place: ConfigPlace
    /// Where the fields stand.
    let fieldPlaces: FieldPlaces
    /// Whether all of it could be read; else there are defaults where something else is written.
    let isSound: Bool

    typealias Values = (
        source: String, merging: MergePolicy?, addressing: [String: JSONPointer], sequence: JSONPointer?, resync: MessagePattern?,
        confirms: Bool, overlap: Duration
    )

    private init(_ values: Values, at place: ConfigPlace, fieldPlaces: FieldPlaces, isSound: Bool) {
        (source, merging, addressing, sequence, resync, confirms, overlap) = values
        range = place.range
        self.place = place
        self.fieldPlaces = fieldPlaces
        self.isSound = isSound
    }
}

extension FeedConfig: FieldValue {
    private static let reason = "without it nothing is merged, and each message reloads the value"

    static let fields = FieldGroup(
        Field<String>("source", "The name of a change source declared under `sources:`.", example: "events"),
        Field(
            "list", default: JSONPointer.whole,
            "Where the list stands in the value: an array, or an object keyed by id. The whole value by default.", example: "/friends"
        ).needing("id", reason),
        Field(
            "item", default: JSONPointer.whole, "Where the item stands in a message. The whole message by default.", example: "/friend"
        ).needing("id", reason),
        Field(
            "id", default: OneOrMore<JSONPointer>?.none,
            "Where the id stands in an item; several make one id. With it, messages are merged into the list. Without it, each message reloads the value.",
            example: "/id"),
        Field(
            "op", default: MergePolicy.Operations?.none,
            "Which words in a message insert, delete or patch. Without it, each message inserts its item, or replaces the one with its id.",
            example: "{ at: /type, upsert: [added, updated], delete: removed }"
        ).needing("id", reason),
        Field(
            "version", default: JSONPointer?.none,
            "Where the version stands in an item: an older change never wins. Without it the order of arrival decides.",
            example: "/updated_at"
        ).needing("id", reason),
        Field(
            "insert", default: MergePolicy.Insertion.refresh,
            "Where to put a new item: `refresh` loads the value again, `first` and `last` put it at that end, `ignore` drops the change, and `{ by: POINTER }` keeps the list sorted.",
            example: "{ by: /name }"
        ).needing("id", reason),
        Field(
            "for", default: FieldMap<JSONPointer>(),
            "The places of parameter values in a message; they select its key, compared as text. By default, a message is for each key of its connection.",
            example: "{ user: /user_id }"),
        Field(
            "sequence", default: JSONPointer?.none, "Where a message has its number: consecutive numbers reveal a lost message.",
            example: "/seq"),
        Field(
            "resync", default: MessagePattern?.none, "The message that asks for the value to be reloaded.",
            example: "{ /type: reset }"),
        Field("confirms", default: false, "Whether a live feed keeps copies fresh while its connection shows signs of life."),
        Field(
            "overlap", default: Duration.zero,
            "Also merges changes from this long before a load began, for origins that read from replicas.", example: "2s"
        ).needing("id", reason)
    ) { source, list, item, id, operations, version, insertion, addressing, sequence, resync, confirms, overlap -> Values in
        let merging = id.map {
            MergePolicy(list: list, item: item, id: $0.elements, operations: operations, version: version, insertion: insertion)
        }
        let keys = Dictionary(addressing.map { ($0.name, $0.value) }) { first, _ in first }
        return (source, merging, keys, sequence, resync, confirms, overlap)
    }

    /// The fields that mean nothing without `id`, and `id`.
    static let fieldsOfMerging = fields.declarations.filter { $0.need != nil || $0.name == "id" }.map(\.name)

    /// The fields that say what stands in a message.
    static let fieldsOfContents = fieldsOfMerging + ["for", "sequence", "resync"]

    /// The name of a source, or a mapping with it.
    public static var fieldType: FieldType { .either([.string, .object(fields.declarations)]) }

    /// The feed written in `node`.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> FeedConfig? {
        guard decoder.countPart(at: node.range) else { return nil }
        return decoder.places.withTarget(of: node) { node in
            guard case .mapping(let written) = node.content else {
                decoder.fieldName = "live"
                return decoder.text(of: node, expecting: "the name of a change source or a mapping with `source`").map {
                    FeedConfig(
                        ($0, nil, [:], nil, nil, false, .zero), at: decoder.places.place(of: node.range), fieldPlaces: .none, isSound: true)
                }
            }
            let mark = decoder.problems.mark
            let members = decoder.members(naming: "a feed", written, of: node, known: fields.declarations.map(\.name)) ?? written
            let named = members.last { $0.key == "source" }
            let owner = FieldOwner(description: "a feed", range: node.range, place: FieldAdvice.Place.feed(source: named?.value.scalarText))
            guard let values = fields.decode(members, of: owner, with: decoder) else { return nil }
            let place =
                named.map { decoder.places.withValue(of: $0) { decoder.places.place(of: $0.range) } }
                ?? decoder.places.place(of: node.range)
            return FeedConfig(
                values, at: place, fieldPlaces: FieldPlaces(members, with: decoder), isSound: decoder.problems.errors(since: mark) == 0)
        }
    }

    /// The name of its source.
    public var written: String? { source }
}

/// The feeds of a pipeline.
struct FeedList: FieldValue {
    let feeds: [FeedConfig]
    /// Whether all that are written could be read.
    let isComplete: Bool
    /// How many errors were reported of them.
    let errors: Int

    static let none = FeedList(feeds: [], isComplete: true, errors: 0)

    static var fieldType: FieldType { .list(FeedConfig.fieldType) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> FeedList? {
        decoder.places.withTarget(of: node) { node in
            let mark = decoder.problems.mark
            if case .mapping(let members) = node.content, !members.isEmpty {
                decoder.report(
                    .wrongType, "expected a list for `live`, found a mapping", at: node,
                    help: (members.contains { $0.key == "source" } ? node.onOneLine : TierList.entries(namedBy: members)).map {
                        "write `live: [\($0)]`"
                    } ?? "begin each feed with `- source: NAME`")
                return FeedList(feeds: [], isComplete: false, errors: decoder.problems.errors(since: mark))
            }
            guard case .sequence(let nodes) = node.content else {
                if let time = node.scalarText, (try? Quantity.duration(time)) != nil {
                    decoder.report(
                        .wrongType, "expected a list for `live`, found `\(time)`", at: node, help: FieldAdvice.helpForPolling(every: time))
                } else {
                    _ = [FeedConfig].decode(node, with: decoder)
                }
                return FeedList(feeds: [], isComplete: false, errors: decoder.problems.errors(since: mark))
            }
            let feeds = nodes.compactMap { FeedConfig.decode($0, with: decoder) }
            return FeedList(feeds: feeds, isComplete: feeds.count == nodes.count, errors: decoder.problems.errors(since: mark))
        }
    }

    /// Nil: without feeds a pipeline has none, and there is nothing to show.
    var written: String? { nil }
}
