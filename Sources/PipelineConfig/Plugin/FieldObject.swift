/// A field's type that is a mapping with fields of its own.
///
/// Declare the fields as a `static let`, so that they are made once.
public protocol FieldObject: FieldValue {
    /// The fields, and how they make the value.
    static var fields: FieldGroup<Self> { get }
    /// What it is called in messages: `a retry policy`.
    static var noun: String { get }
    /// Reports what is wrong between fields that are sound one by one. By default nothing is.
    static func check(_ value: Self, _ members: [ConfigNode.Member], with decoder: FieldDecoder)
}

extension FieldObject {
    /// A mapping with these fields.
    public static var fieldType: FieldType { .object(fields.declarations) }

    /// The value, when every field that must be given is sound.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Self? {
        decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping for `\(decoder.fieldName)`, found \(node.kind)", at: node,
                    help: help(for: node, named: decoder.fieldName)
                        ?? "its fields are \(fields.declarations.map { "`\($0.name)`" }.joined(separator: ", "))")
                return nil
            }
            let mark = decoder.problems.mark
            let value = fields.decode(members, of: FieldOwner(description: noun, range: node.range), with: decoder)
            if let value, !decoder.problems.hasErrors(since: mark) { check(value, members, with: decoder) }
            return value
        }
    }

    /// Nothing is wrong.
    public static func check(_ value: Self, _ members: [ConfigNode.Member], with decoder: FieldDecoder) {}

    /// What `retry: 3` and `retry: true` mean; nil for anything else.
    private static func help(for node: ConfigNode, named name: String) -> String? {
        guard let text = node.scalarText, let first = fields.declarations.first, first.type == .int else { return nil }
        if CoreSchema.bool(text) == false || text == "none" { return "remove `\(name)`" }
        let number = CoreSchema.int(text).map { "\($0)" } ?? (CoreSchema.bool(text) == true ? first.defaultText : nil)
        return number.map { "write `\(name): { \(first.name): \($0) }`" }
    }

    /// Nil: it is not written on one line.
    public var written: String? { nil }
}
