import Pipeline
public import PipelineComposing
internal import PipelineJSON

/// One part of a composite as the file declares it. An object, since each rule looks at it and it is large.
public final class PartConfig: Sendable {
    /// The specification of what is fetched, and how.
    public let spec: PartSpec
    /// The place where the pipeline is named.
    public let range: TextRange
    /// The place where the pipeline is named, with the aliases and merges on the way.
    let place: ConfigPlace
    /// Its arguments, in the order of the file.
    let arguments: [ArgumentConfig]
    /// The paths of `follow`.
    let follows: [FollowConfig]
    /// Where its fields stand.
    let fieldPlaces: FieldPlaces

    private init(
        _ spec: PartSpec, arguments: [ArgumentConfig] = [], follows: [FollowConfig] = [], at place: ConfigPlace, fieldPlaces: FieldPlaces
    ) {
        (self.spec, self.arguments, self.follows, self.place, self.fieldPlaces) = (spec, arguments, follows, place, fieldPlaces)
        range = place.range
    }
}

extension PartConfig: FieldValue {
    static let fields = FieldGroup(
        Field<String>("pipeline", "The name of a pipeline declared under `pipelines:`.", example: "user"),
        Field(
            "with", default: ArgumentList.none,
            "Its arguments: texts with the parameters of this pipeline, or values from another part. Parameters with the same name are passed automatically.",
            example: "{ id: \"{user}\" }"),
        Field("select", default: JSONPointer.whole, "The place in its value to use. By default, the whole value.", example: "/items"),
        Field(
            "follow", default: FollowList.none, "The links to follow in its value, each a path of names.",
            example: "[author, comments.author]"),
        Field("optional", default: false, "Whether to leave the part out when it fails or has no value."),
        Field(
            "default", default: JSONValue?.none, "The value to use when the part fails or has no value. Any JSON, also `null`.",
            example: "[]"),
        Field(
            "timeout", default: Duration?.none, range: OpenRange(after: Duration.zero),
            "How long to wait for this part; by default, the time left for the whole.", example: "300ms")
    ) { pipeline, arguments, select, follow, isOptional, defaultValue, timeout in
        (
            PartSpec(
                pipeline, with: arguments.specs, select: select, follow: follow.paths.map(\.path.description), optional: isOptional,
                default: defaultValue?.text, timeout: timeout),
            arguments.arguments, follow.paths
        )
    }

    /// The name of a pipeline, or a mapping with it.
    public static var fieldType: FieldType { .either([.string, .object(fields.declarations)]) }

    /// The part written in `node`.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> PartConfig? {
        guard decoder.countPart(at: node.range) else { return nil }
        return decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                return decoder.text(of: node, expecting: "the name of a pipeline or a mapping with `pipeline`").map {
                    PartConfig(PartSpec($0), at: decoder.places.place(of: node.range), fieldPlaces: .none)
                }
            }
            let (field, name) = (decoder.fieldName, decoder.field.memberName)
            decoder.field.memberName = nil
            // The next part is of the same field.
            defer { (decoder.fieldName, decoder.field.memberName) = (field, name) }
            let owner =
                name.map { FieldOwner("the part", named: $0, range: node.range, place: FieldAdvice.Place.part) }
                ?? FieldOwner(description: "a part", range: node.range, place: FieldAdvice.Place.part)
            guard let (spec, arguments, follows) = fields.decode(members, of: owner, with: decoder) else { return nil }
            let places = FieldPlaces(members, with: decoder)
            return PartConfig(
                spec, arguments: arguments, follows: follows, at: places.value("pipeline") ?? decoder.places.place(of: node.range),
                fieldPlaces: places)
        }
    }

    /// The name of its pipeline.
    public var written: String? { spec.pipeline }
}

/// A path of links that is followed, and where it stands.
struct FollowConfig: Sendable {
    let path: LinkPath
    let place: ConfigPlace
    /// Where each of its names stands.
    let names: [ConfigPlace]
}

/// The paths of links that are followed.
struct FollowList: FieldValue {
    let paths: [FollowConfig]

    static let none = FollowList(paths: [])

    /// Names with full stops between them.
    private static let form = FieldWord("path of links", matching: #"^[^.]+(?:\.[^.]+)*$"#, allowsBools: true, allowsNumbers: true)

    static var fieldType: FieldType { .list(.word(form)) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> FollowList? {
        decoder.places.withTarget(of: node) { node in
            guard case .sequence(let elements) = node.content else {
                decoder.report(
                    .wrongType, "expected a list for `\(decoder.fieldName)`, found \(node.kind)", at: node,
                    help: decoder.helpWithBrackets(node))
                return nil
            }
            return FollowList(paths: elements.compactMap { path($0, with: decoder) })
        }
    }

    private static func path(_ node: ConfigNode, with decoder: FieldDecoder) -> FollowConfig? {
        guard decoder.countPart(at: node.range), let text = decoder.text(of: node, expecting: "a path of links, as `comments.author`")
        else { return nil }
        let path = LinkPath(text)
        guard !path.names.contains("") else {
            decoder.report(
                .malformed, "malformed path of links \(decoder.quoted(node)) for `\(decoder.fieldName)`: a name is missing", at: node,
                help: "the names of links stand with a `.` between them, as in `comments.author`")
            return nil
        }
        var end = -1
        let names = path.names.map { name in
            let start = end + 1
            end = start + name.unicodeScalars.count
            return decoder.places.place(of: start..<end, in: node)
        }
        return FollowConfig(path: path, place: decoder.places.place(of: nil, in: node), names: names)
    }

    var written: String? { paths.isEmpty ? "[]" : nil }
}
