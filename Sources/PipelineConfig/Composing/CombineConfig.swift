import Pipeline
package import PipelineComposing
internal import PipelineJSON

/// The way in which the file makes one value from the values of other pipelines. An object, since each rule looks at it and it is large.
public final class CombineConfig: Sendable {
    /// The composite that is made.
    package let spec: CompositeSpec
    /// The parts, in the order of the composite.
    public let parts: [PartConfig]
    /// Where it stands: the value of `combine`.
    let place: ConfigPlace
    /// The range of its place in the file.
    package var range: TextRange { place.range }
    /// Whether all of it could be read; else parts may be missing.
    let isSound: Bool

    private init(_ spec: CompositeSpec, _ parts: [PartConfig], at place: ConfigPlace, isSound: Bool) {
        (self.spec, self.parts, self.place, self.isSound) = (spec, parts, place, isSound)
    }
}

extension CombineConfig: FieldValue {
    typealias Values = (spec: CompositeSpec, parts: [PartConfig])

    /// The fields of which one says what the whole is.
    static let shapes = ["object", "merge", "join", "of"]

    static let fields = FieldGroup(
        Field(
            "object", default: PartMap?.none, "An object with a member for each of these parts, in this order.",
            example: "{ me: user, friends: friends }"),
        Field(
            "merge", default: PartList?.none, "One list with the elements of all of these parts, or one object with their members.",
            example: "[local_contacts, cloud_contacts]"),
        Field(
            "by", default: JSONPointer?.none,
            "Where an element has its id. Elements with one id become one, at the place of the first. Without `by`, every element is kept.",
            example: "/id"
        ).needing("merge", "only what is merged has elements with one id"),
        Field(
            "prefer", default: CompositeSpec.Preference.first,
            "Which part wins when several have an element with the same id."
        ).needing("by", "without it every element is kept"),
        Field("join", default: JoinConfig?.none, "One list, with the matching element of another list added to each of its elements."),
        Field(
            "of", default: PartConfig?.none, "The value of this part, such as one with links followed in it.",
            example: "{ pipeline: posts, follow: [author] }"),
        Field(
            "pick", default: FieldMap<JSONPointer>(),
            "Keeps only these members, each from the given place; in a list, of each element. By default, all members are kept.",
            example: "{ id: /id, name: /profile/name }"),
        Field(
            "concurrency", default: 16, range: 1...CompositeSpec.mostLoads,
            "The most loads of origins that run at once for one fetch."),
        Field("max", default: LinkSpec.mostIDs, range: 1...CompositeSpec.mostLoads, "The most ids that one link may follow."),
        Field(
            "max_size", default: Size.mebibytes(64), range: Size(bytes: 1)...Size.mebibytes(1_048_576), "The largest combined value.")
    ) { object, merge, by, prefer, join, of, pick, concurrency, max, maxSize -> Values? in
        var shape: CompositeSpec.Shape?
        var parts: [PartConfig] = []
        if let object {
            parts = object.members.map(\.part)
            shape = .object(object.members.map { ($0.name, $0.part.spec) })
        } else if let merge {
            parts = merge.parts
            shape = .merge(parts.map(\.spec), by: by, prefer: prefer)
        } else if let join {
            parts = [join.from, join.to]
            shape = join.shape
        } else if let of {
            parts = [of]
            shape = .of(of.spec)
        }
        guard let shape else { return nil }
        let spec = CompositeSpec(
            shape, pick: pick.map { ($0.name, $0.value) }, concurrency: concurrency, max: max, maxSize: maxSize)
        return (spec, parts)
    }

    /// The fields that stand nowhere else.
    static let ownFields = shapes + ["by", "prefer", "pick"]

    /// A mapping with these fields.
    public static var fieldType: FieldType { .object(fields.declarations, oneOf: shapes) }

    /// Reads a composite from `node`; nil if its shape is not known.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> CombineConfig? {
        let mark = decoder.problems.mark
        return decoder.places.withTarget(of: node) { node in
            let place = decoder.places.place(of: node.range)
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping for `combine`, found \(node.kind)", at: node, help: help(for: node))
                return nil
            }
            let owner = FieldOwner(description: "`combine`", range: node.range, place: FieldAdvice.Place.combine)
            let isWritten = Set(members.map(\.key)).isSubset(of: Set(fields.declarations.map(\.name)))
            let values = fields.decode(members, of: owner, with: decoder)
            let given = members.filter { shapes.contains($0.key) }
            for other in given.dropFirst() {
                decoder.report(
                    .notAllowed, "`\(other.key)` is not allowed beside `\(given[0].key)`", at: decoder.places.place(ofKeyOf: other),
                    help: "remove one of the two")
            }
            // What is not known most likely says it, as a part of an object that is not named does.
            if given.isEmpty, isWritten {
                decoder.report(
                    .missingField, "`combine` needs `object`, `merge`, `join` or `of`", at: node,
                    help: "say what the whole is, as in `combine: { object: { NAME: PIPELINE } }`")
            }
            guard let values, let values else { return nil }
            return CombineConfig(values.spec, values.parts, at: place, isSound: decoder.problems.errors(since: mark) == 0)
        }
    }

    /// What was most likely meant by a list, or by the name of a pipeline.
    private static func help(for node: ConfigNode) -> String {
        switch node.content {
        case .sequence(let elements) where !elements.isEmpty:
            node.onOneLine.map { "write `combine: { merge: \($0) }`" } ?? "name the list: `combine: { merge: [PIPELINE, PIPELINE] }`"
        case .scalar:
            node.scalarText.flatMap { $0.isEmpty ? nil : "write `combine: { of: \($0.inFlow.shortened) }`" }
                ?? "say what the whole is, as in `combine: { object: { NAME: PIPELINE } }`"
        default: "say what the whole is, as in `combine: { object: { NAME: PIPELINE } }`"
        }
    }

    /// Nil: it is not written on one line.
    public var written: String? { nil }
}

extension CompositeSpec.Preference: FieldChoice {}

/// The parts of an object, in the order of the file.
struct PartMap: FieldValue {
    let members: [(name: String, part: PartConfig)]

    static var fieldType: FieldType { .map(PartConfig.fieldType, atLeast: 1) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> PartMap? {
        if let written = meant(by: node.target) {
            decoder.report(
                .wrongType, "expected a mapping of names to parts for `\(decoder.fieldName)`, found a list", at: node,
                help: "write `\(decoder.fieldName): { \(written) }`")
            return nil
        }
        return FieldMap<PartConfig>.decode(node, with: decoder).map { PartMap(members: $0.map { ($0.name, $0.value) }) }
    }

    var written: String? { nil }
}

extension PartMap {
    /// The members that a list of pipelines, or of mappings with one name each, stands for.
    private static func meant(by node: ConfigNode) -> String? {
        guard case .sequence(let elements) = node.content, !elements.isEmpty, elements.count <= 20 else { return nil }
        let members = elements.map { element -> String? in
            if let name = element.target.scalarText { return Identifier.isValid(name) ? "\(name): \(name)" : nil }
            let members = element.target.members
            return members.count == 1 ? members[0].value.onOneLine.map { "\(members[0].key.inFlow): \($0)" } : nil
        }
        let known = members.compactMap(\.self)
        return known.count == members.count ? known.joined(separator: ", ") : nil
    }
}

/// The parts of a merge, in the order of the file.
struct PartList: FieldValue {
    let parts: [PartConfig]

    static var fieldType: FieldType { .list(PartConfig.fieldType, atLeast: 1) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> PartList? {
        if case .mapping(let members) = node.target.content, !members.isEmpty, !members.contains(where: { $0.key == "pipeline" }),
            let list = ConfigNode(.sequence(members.map(\.value)), at: node.range).onOneLine
        {
            decoder.report(
                .wrongType, "expected a list for `\(decoder.fieldName)`, found a mapping", at: node,
                help: "write `\(decoder.fieldName): \(list)`")
            return nil
        }
        return [PartConfig].decode(node, with: decoder).map(PartList.init)
    }

    var written: String? { nil }
}

/// Two lists joined by an id, as the file declares it.
struct JoinConfig: FieldObject {
    let from: PartConfig
    let to: PartConfig
    let shape: CompositeSpec.Shape

    static let noun = "a join"

    static let fields = FieldGroup(
        Field<PartConfig>("from", "The list that is extended.", example: "friends"),
        Field<JSONPointer>(
            "on", "Where an element of `from` has the id of the other element. An element without one stays as it is.", example: "/id"),
        Field<PartConfig>("to", "The list whose elements are added.", example: "presence"),
        Field<JSONPointer>("to_on", "Where an element of `to` has its id.", example: "/user_id"),
        Field<String>("as", "The name of the member that is added.", example: "presence")
    ) { from, on, to, toOn, name in
        JoinConfig(from: from, to: to, shape: .join(from.spec, on: on, to: to.spec, toOn: toOn, as: name))
    }
}
