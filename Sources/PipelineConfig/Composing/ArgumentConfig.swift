internal import Pipeline
import PipelineComposing
internal import PipelineJSON

/// One argument of a part or of a link, and where it stands.
struct ArgumentConfig: Sendable {
    let name: String
    let argument: PartArgument
    /// Where its name stands.
    let place: ConfigPlace
    /// Where its value stands; of a part that it takes, where that is named.
    let value: ConfigPlace
    /// Where its text names parameters.
    let uses: [(parameter: String, place: ConfigPlace)]
    /// What in its text, in braces, names a place in something: `order.shop`.
    var lookalikes: [PlaceLookalike] = []
}

/// A text such as `{order.shop.id}`, which looks like a place in the value of a part.
struct PlaceLookalike: Sendable {
    /// Without the braces.
    let text: String
    /// The first name, which may be that of a part.
    let name: String
    /// The place that is most likely meant.
    let place: JSONPointer

    /// Those in what the file itself says: what comes from outside looks like nothing.
    static func all(in text: InterpolatedText) -> [PlaceLookalike] {
        text.pieces.flatMap { piece -> [PlaceLookalike] in
            guard case .literal(let literal, _) = piece, literal.contains("{") else { return [] }
            return literal.split(separator: "{").dropFirst(literal.hasPrefix("{") ? 0 : 1).compactMap { rest in
                rest.firstIndex(of: "}").flatMap { PlaceLookalike(String(rest[..<$0])) }
            }
        }
    }

    private init?(_ text: String) {
        let names = text.split(omittingEmptySubsequences: false, whereSeparator: { "./".contains($0) }).map(String.init)
        guard names.count > 1, names.count < 10,
            names.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0.isNumber || "_-".contains($0) } })
        else { return nil }
        (self.text, name, place) = (text, names[0], JSONPointer(tokens: Array(names.dropFirst())))
    }
}

/// `{ id: "{user}", shop: { from: order, at: /shop/id } }`.
struct ArgumentList: FieldValue {
    let arguments: [ArgumentConfig]

    static let none = ArgumentList(arguments: [])

    /// By their names; of two with one name, which has been reported, the last one.
    var specs: [String: PartArgument] { Dictionary(arguments.map { ($0.name, $0.argument) }) { $1 } }

    private static let fields = FieldGroup(
        Field("from", default: String?.none, "Another part of the object, which is fetched first.", example: "order"),
        Field<JSONPointer>(
            "at", "The place of the argument's value: in the part `from`; in a link, in the value with the reference.",
            example: "/shop/id")
    ) { from, at in from.map { PartArgument.from($0, at: at) } ?? .at(at) }

    static var fieldType: FieldType { .map(.either([.template, .object(fields.declarations)])) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> ArgumentList? {
        decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping of parameters to values for `\(decoder.fieldName)`, found \(node.kind)", at: node,
                    help: "name the parameter, as in `with: { id: \"{user}\" }`")
                return nil
            }
            return ArgumentList(arguments: members.compactMap { decode($0, with: decoder) })
        }
    }

    private static func decode(_ member: ConfigNode.Member, with decoder: FieldDecoder) -> ArgumentConfig? {
        guard decoder.countPart(at: member.keyRange) else { return nil }
        let place = decoder.places.place(ofKeyOf: member)
        let field = decoder.fieldName
        decoder.field.memberName = member.key
        defer { (decoder.field.memberName, decoder.fieldName) = (nil, field) }
        return decoder.places.withValue(of: member) { node in
            if case .mapping(let members) = node.content, node.quotedBraces(for: member.key) == nil {
                var owner = FieldOwner("the argument", named: member.key, range: node.range)
                if let part = members.last(where: { $0.key == "from" })?.value.target.scalarText {
                    owner.helps["at"] = "add `at:` with the place in `\(part.shortened)`, as `/0/id` or `/id`"
                }
                decoder.field.memberName = nil
                guard let argument = fields.decode(members, of: owner, with: decoder) else { return nil }
                let value = FieldPlaces(members, with: decoder).value("from") ?? decoder.places.place(of: node.range)
                return ArgumentConfig(name: member.key, argument: argument, place: place, value: value, uses: [])
            }
            decoder.fieldName = member.key
            // Uses that are noted are those of sources: these are of the pipeline that combines.
            let before = decoder.notes.takeParameterUses()
            defer { decoder.notes.parameterUses = before }
            guard let (template, text) = decoder.template(of: node, expecting: "text or a mapping with `at`", isLenient: true) else {
                return nil
            }
            decoder.reportLookalikes(in: text, of: node)
            return ArgumentConfig(
                name: member.key, argument: PartArgument(template), place: place, value: decoder.places.place(of: node.range),
                uses: decoder.notes.parameterUses.map { ($0.parameter, $0.place) },
                lookalikes: decoder.secrets.holds(node.range) ? [] : PlaceLookalike.all(in: text))
        }
    }

    var written: String? { arguments.isEmpty ? "{}" : nil }
}

extension PartArgument {
    /// The text of `template`. What came from a variable is text, whatever stands in it.
    fileprivate init(_ template: Template) {
        self.init(
            .text(
                template.pieces.map { piece in
                    switch piece {
                    case .literal(let text): .text(text)
                    case .parameter(let name): .parameter(name)
                    }
                }))
    }
}
