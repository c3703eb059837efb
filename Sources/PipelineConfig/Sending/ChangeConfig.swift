internal import Pipeline
internal import PipelineJSON
internal import PipelineLive
internal import PipelineSending

/// What a send does to the values of one pipeline, as the file declares it.
struct ChangeConfig: FieldValue {
    /// The name of the pipeline.
    let pipeline: String
    let operation: SendChange.Operation
    /// The arguments of the key, by the names of parameters of the pipeline.
    let arguments: FieldMap<SendTemplate>
    /// Where the item stands in the payload.
    let item: JSONPointer
    /// The id of the item; nil where it stands in the item.
    let target: SendTemplate?
    /// How the list is merged, as far as that is said.
    let merging: Merging
    /// Where the pipeline is named.
    let place: ConfigPlace
    /// Where the fields stand.
    let fieldPlaces: FieldPlaces
    /// Whether all of it could be read; else there are defaults where something else is written.
    let isSound: Bool

    /// How a list is merged; nil for what a feed of the pipeline may say.
    struct Merging {
        var list: JSONPointer?
        var id: [JSONPointer]?
        var version: JSONPointer?
        var insertion: MergePolicy.Insertion?
    }

    private typealias Values = (
        pipeline: String, operation: SendChange.Operation, arguments: FieldMap<SendTemplate>, item: JSONPointer, target: SendTemplate?,
        merging: Merging
    )

    private init(_ values: Values, at place: ConfigPlace, fieldPlaces: FieldPlaces, isSound: Bool) {
        (pipeline, operation, arguments, item, target, merging) = values
        (self.place, self.fieldPlaces, self.isSound) = (place, fieldPlaces, isSound)
    }

    private static let reason = "without it the value is only loaded again"

    private static let group = FieldGroup(
        Field<String>("pipeline", "The name of a pipeline declared under `pipelines:`.", example: "friends"),
        Field(
            "with", default: FieldMap<SendTemplate>(),
            "The arguments of the value, with parameters of the send. Parameters with the same name are passed automatically.",
            example: "{ user: \"{user}\" }"),
        Field(
            "op", default: SendChange.Operation.refresh,
            "What happens to the value. `upsert` puts an item in a list, in the place of the one with its id; `patch` changes members of an item (RFC 7396); `delete` removes one. `replace` makes the payload the value. `refresh` shows nothing, and loads the value once the send is sent.",
            example: "upsert"),
        Field("item", default: JSONPointer.whole, "Where the item stands in the payload. The whole payload by default.", example: "/friend")
            .needing("op", reason),
        Field(
            "target", default: SendTemplate?.none,
            "The id of the item, with parameters of the send. By default, it is at `id` in the item.",
            example: "\"{id}\""
        ).needing("op", reason),
        Field(
            "id", default: OneOrMore<JSONPointer>?.none,
            "Where the id stands in an item; several make one id. By default as in the feed of the pipeline that merges.", example: "/id"
        ).needing("op", reason),
        Field(
            "list", default: JSONPointer?.none,
            "Where the list stands in the value. By default as in the feed of the pipeline, else the whole value.", example: "/friends"
        ).needing("op", reason),
        Field(
            "version", default: JSONPointer?.none,
            "Where the version stands in an item: an older change never wins. By default as in the feed of the pipeline, else the order decides.",
            example: "/updated_at"
        ).needing("op", reason),
        Field(
            "insert", default: SendInsertion?.none,
            "Where to put a new item: `first`, `last`, or by a sort key. By default as in the feed of the pipeline, else `last`.",
            example: "{ by: /name }"
        ).needing("op", reason)
    ) { pipeline, arguments, operation, item, target, id, list, version, insertion -> Values in
        let merging = Merging(list: list, id: id?.elements, version: version, insertion: insertion?.insertion)
        return (pipeline, operation, arguments, item, target, merging)
    }

    /// The fields, in the order of documentation.
    static let declarations = group.declarations

    static var fieldType: FieldType { .object(declarations) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> ChangeConfig? {
        guard decoder.countPart(at: node.range) else { return nil }
        return decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping with `pipeline` for a change, found \(node.kind)", at: node,
                    help: "write `{ pipeline: \(node.scalarText.flatMap { $0.isEmpty ? nil : $0.inFlow.shortened } ?? "NAME") }`")
                return nil
            }
            let mark = decoder.problems.mark
            let field = decoder.fieldName
            defer { decoder.fieldName = field }
            let owner = FieldOwner(description: "a change", range: node.range, place: FieldAdvice.Place.change)
            guard let values = group.decode(members, of: owner, with: decoder) else { return nil }
            let places = FieldPlaces(members, with: decoder)
            return ChangeConfig(
                values, at: places.value("pipeline") ?? decoder.places.place(of: node.range), fieldPlaces: places,
                isSound: decoder.problems.errors(since: mark) == 0)
        }
    }

    var written: String? { nil }
}

/// What a send does to values, in the order of the file.
struct ChangeList: FieldValue {
    let changes: [ChangeConfig]
    /// Whether all that are written could be read.
    let isComplete: Bool

    static let none = ChangeList(changes: [], isComplete: true)

    static var fieldType: FieldType { .list(ChangeConfig.fieldType) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> ChangeList? {
        decoder.places.withTarget(of: node) { node in
            guard case .sequence(let elements) = node.content else {
                let isChange = node.members.contains { $0.key == "pipeline" }
                let name = node.scalarText.flatMap { Identifier.isValid($0) ? $0 : nil }
                decoder.report(
                    .wrongType, "expected a list for `\(decoder.fieldName)`, found \(node.kind)", at: node,
                    help: (isChange ? node.onOneLine : name.map { "{ pipeline: \($0) }" }).map { "write `\(decoder.fieldName): [\($0)]`" }
                        ?? "begin each change with `- pipeline: NAME`")
                return ChangeList(changes: [], isComplete: false)
            }
            let changes = elements.compactMap { ChangeConfig.decode($0, with: decoder) }
            return ChangeList(changes: changes, isComplete: changes.count == elements.count)
        }
    }

    var written: String? { changes.isEmpty ? "[]" : nil }
}

/// The place of a new item in a list, which a send always puts somewhere.
struct SendInsertion: FieldValue {
    let insertion: MergePolicy.Insertion

    private static let words: [MergePolicy.Insertion.Word] = [("first", .first), ("last", .last)]

    static var fieldType: FieldType { MergePolicy.Insertion.fieldType(words) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> SendInsertion? {
        MergePolicy.Insertion.decode(node, among: words, with: decoder).map(SendInsertion.init)
    }

    var written: String? { insertion.written }
}

extension SendChange.Operation {
    /// Whether it changes a list.
    var isOfList: Bool { self == .upsert || self == .patch || self == .delete }

    /// Whether `field` of a change means something for it.
    func takes(_ field: String) -> Bool {
        switch field {
        case "item": self != .refresh
        case "target", "id", "list", "version": isOfList
        case "insert": self == .upsert
        default: true
        }
    }

    /// The reason why other fields mean nothing.
    var effect: String {
        switch self {
        case .upsert: "it puts the item in the list"
        case .patch: "it only changes an item that is there"
        case .delete: "it only removes an item"
        case .replace: "the payload is the value"
        case .refresh: "the value is loaded again"
        }
    }
}
