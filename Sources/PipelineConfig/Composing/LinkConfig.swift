import Pipeline
package import PipelineComposing
public import PipelineJSON

/// One link as the file declares it. An object, since each rule looks at it and it is large.
public final class LinkConfig: Sendable {
    /// The specification of what is followed, and how.
    package let spec: LinkSpec
    /// The place where it is named.
    public let range: TextRange
    /// The place where it is named, with the merges on the way.
    let place: ConfigPlace
    /// Its arguments, in the order of the file.
    let arguments: [ArgumentConfig]
    /// Where its fields stand.
    let fieldPlaces: FieldPlaces

    /// Whether all of it could be read.
    let isSound: Bool

    private init(_ spec: LinkSpec, arguments: [ArgumentConfig], at place: ConfigPlace, fieldPlaces: FieldPlaces, isSound: Bool) {
        (self.spec, self.arguments, self.place, self.fieldPlaces, self.isSound) = (spec, arguments, place, fieldPlaces, isSound)
        range = place.range
    }

    static let fields = FieldGroup(
        Field<JSONPath>(
            "at",
            "Where the reference is: an id, or a list of ids. A JSON Pointer, or a JSONPath such as `$[*].author_id` for the references of many elements.",
            example: "/author_id"),
        Field<String>("pipeline", "The name of the pipeline that loads the value.", example: "user"),
        Field(
            "parameter", default: String?.none,
            "The parameter that takes the id. By default, the only parameter without a default value.", example: "id"),
        Field(
            "with", default: ArgumentList.none,
            "The other arguments: texts with the parameters of this pipeline, or places in the value with the reference. No parameter is passed automatically.",
            example: "{ shop: { at: /shop_id } }"),
        Field("optional", default: false, "Whether to leave out a target that fails."),
        Field(
            "default", default: JSONValue?.none,
            "The value to use for a missing or failed target. Any JSON, also `null`. Missing targets of a list are left out.")
    ) { at, pipeline, parameter, arguments, isOptional, defaultValue in
        (
            LinkSpec(
                "", at: at, pipeline: pipeline, parameter: parameter, with: arguments.specs, optional: isOptional,
                default: defaultValue?.text),
            arguments.arguments
        )
    }

    static func decode(_ member: ConfigNode.Member, with decoder: FieldDecoder) -> LinkConfig? {
        guard decoder.countPart(at: member.keyRange) else { return nil }
        let place = decoder.places.place(ofKeyOf: member)
        guard !member.key.isEmpty, !member.key.utf8.contains(UInt8(ascii: ".")) else {
            decoder.report(
                .malformed,
                member.key.isEmpty
                    ? "the name of a link is empty"
                    : "`\(member.key.shortened)` is not the name of a link: a `.` stands between two links of a path", at: place,
                help: member.key.isEmpty ? "give it a name, by which it is followed" : "give it another name")
            return nil
        }
        return decoder.places.withValue(of: member) { node in
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping for the link `\(member.key.shortened)`, found \(node.kind)",
                    range: node.isNull ? member.keyRange : node.range,
                    help: "write `\(member.key.inFlow.shortened): { at: /\(member.key.inFlow.shortened)_id, pipeline: NAME }`")
                return nil
            }
            let mark = decoder.problems.mark
            let owner = FieldOwner("the link", named: member.key, range: member.keyRange)
            guard let (unnamed, arguments) = fields.decode(members, of: owner, with: decoder) else { return nil }
            var spec = unnamed
            spec.name = member.key
            return LinkConfig(
                spec, arguments: arguments, at: place, fieldPlaces: FieldPlaces(members, with: decoder),
                isSound: decoder.problems.errors(since: mark) == 0)
        }
    }
}

/// The links of a pipeline, in the order of the file.
struct LinkList: FieldValue {
    let links: [LinkConfig]
    /// Whether all that are written could be read.
    let isComplete: Bool

    static let none = LinkList(links: [], isComplete: true)

    private static let nameForm = FieldWord("name", matching: "^[^.]+$")

    static var fieldType: FieldType { .map(.object(LinkConfig.fields.declarations), keys: nameForm) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> LinkList? {
        decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping of names for `links`, found \(node.kind)", at: node,
                    help: "give each link a name, as in `links: { author: { at: /author_id, pipeline: user } }`")
                return LinkList(links: [], isComplete: false)
            }
            let links = members.compactMap { LinkConfig.decode($0, with: decoder) }
            return LinkList(links: links, isComplete: links.count == members.count)
        }
    }

    /// Nil: without links a pipeline has none, and there is nothing to show.
    var written: String? { nil }
}

extension JSONPath: FieldValue {
    /// A JSON Pointer, or what begins with `$`.
    private static let form = FieldWord("JSON Pointer or JSONPath", matching: #"^(?:\$[\s\S]*|(?:/(?:[^~/]|~[01])*)*)$"#)

    /// A JSON Pointer or a JSONPath.
    public static var fieldType: FieldType { .word(form) }

    /// The places that are written: a JSONPath where it begins with `$`, else a JSON Pointer.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> JSONPath? {
        guard let text = decoder.text(of: node, expecting: "a JSON Pointer, as `/author_id`, or a JSONPath, as `$[*].author_id`") else {
            return nil
        }
        guard text.utf8.first == UInt8(ascii: "$") else { return decoder.pointer(text, of: node).map(JSONPath.init) }
        do throws(Problem) {
            return try JSONPath(query: text)
        } catch {
            decoder.report(
                .malformed,
                error.isMalformed
                    ? "malformed JSONPath \(decoder.quoted(node)) for `\(decoder.fieldName)`: \(error.message)"
                    : "\(decoder.quoted(node)) for `\(decoder.fieldName)`: \(error.message)", at: node,
                help: error.isMalformed
                    ? "a JSONPath is written as in `$[*].author_id`"
                    : "names, indices, slices, `*` and lists of them can be used, as in `$.items[*].author_id`")
            return nil
        }
    }

    /// As it was written.
    public var written: String? { description }
}
