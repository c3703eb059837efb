/// A field's type that is a mapping with fields of its own.
protocol FieldObject: FieldValue {
    static var fields: FieldGroup<Self> { get }
    /// What it is called in messages: `a retry policy`.
    static var noun: String { get }
}

extension FieldObject {
    static var fieldType: FieldType { .object(fields.declarations) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Self? {
        decoder.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping for `\(decoder.fieldName)`, found \(node.kind)", at: node,
                    help: "its fields are \(fields.declarations.map { "`\($0.name)`" }.joined(separator: ", "))")
                return nil
            }
            return fields.decode(members, of: FieldOwner(description: noun, range: node.range), with: decoder)
        }
    }

    var written: String? { nil }
}
