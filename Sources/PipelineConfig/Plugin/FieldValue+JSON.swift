import Pipeline
public import PipelineJSON
package import PipelineLive

extension JSONPointer: FieldValue {
    /// The form of RFC 6901: empty, or names that each begin with `/`.
    static let form = FieldWord("JSON Pointer", matching: "^(?:/(?:[^~/]|~[01])*)*$")

    /// A JSON Pointer.
    public static var fieldType: FieldType { .word(form) }

    /// Reads a pointer such as `/friend/id`; empty for all of the value.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> JSONPointer? {
        if node.target.isNull {
            // Behind a `#` it would be a comment, and no pointer: an example shows the form.
            decoder.report(.wrongType, "expected a JSON Pointer for `\(decoder.fieldName)`, found nothing", at: node)
            return nil
        }
        return decoder.text(of: node, expecting: "a JSON Pointer").flatMap { decoder.pointer($0, of: node) }
    }

    /// The text of RFC 6901.
    public var written: String? { description }

    /// What was meant by a path in the spelling of others: `id`, `$.friend.id`, `friend/id`, `#/id`; nil where that is uncertain.
    static func meant(by text: String) -> JSONPointer? {
        if text.first == "/" { return JSONPointer(text.replacing("~", with: "~0")) }
        let body = text.drop { "$#".contains($0) }
        guard body.utf8.count <= 100, body.allSatisfy({ $0.isLetter || $0.isNumber || "_-./[]".contains($0) }) else { return nil }
        let names = body.split { "./[]".contains($0) }
        return names.isEmpty ? nil : JSONPointer(names.map { "/\($0)" }.joined())
    }
}

extension FieldDecoder {
    /// The pointer that `text` spells, which is the value or a key of `node`; nil, and reported, when it is none.
    func pointer(_ text: String, of node: ConfigNode) -> JSONPointer? {
        if let pointer = JSONPointer(text) { return pointer }
        let isWritten = quoted(node) == "`\(text)`"
        let reason =
            text.first == "/"
            ? "in a name, `~` is written `~0`, and `/` is written `~1`" : "it begins with `/`, or is empty for the whole"
        report(
            .malformed, "malformed JSON Pointer \(quoted(node)) for `\(fieldName)`: \(reason)", at: node,
            help: isWritten ? JSONPointer.meant(by: text).map { "write `\($0)`" } : nil)
        return nil
    }
}

extension MessagePattern: FieldValue {
    /// A mapping of JSON Pointers to scalars.
    package static var fieldType: FieldType { .map(.string, keys: JSONPointer.form, atLeast: 1) }

    /// The members that are written; nil unless each of them could be read.
    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> MessagePattern? {
        decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping of JSON Pointers to values for `\(decoder.fieldName)`, found \(node.kind)", at: node)
                return nil
            }
            guard !members.isEmpty else {
                decoder.report(.outOfRange, "`\(decoder.fieldName)` is empty: it would match no message", at: node)
                return nil
            }
            let read = members.compactMap { member($0, with: decoder) }
            return read.count == members.count ? MessagePattern(Dictionary(read) { first, _ in first }) : nil
        }
    }

    private static func member(_ member: ConfigNode.Member, with decoder: FieldDecoder) -> (JSONPointer, String)? {
        guard decoder.countPart(at: member.keyRange) else { return nil }
        let key = ConfigNode(.scalar(.init(text: member.key, isPlain: true)), at: member.keyRange)
        let pointer = decoder.pointer(member.key, of: key)
        let value = decoder.places.withValue(of: member) { node in
            decoder.text(of: node, expecting: "a string, a number or a bool").map { literal($0, of: node) }
        }
        return pointer.flatMap { pointer in value.map { (pointer, $0) } }
    }

    /// A number or a bool as JSON writes it, where it has no quotes.
    private static func literal(_ text: String, of node: ConfigNode) -> String {
        guard case .scalar(let scalar) = node.content, scalar.isPlain, scalar.text == text else { return text }
        return switch PlainScalar(text) {
        case .bool(let value): value ? "true" : "false"
        case .number(let number): number
        default: text
        }
    }

    /// `{ /type: reset }`.
    public var written: String? {
        "{ "
            + members.map { ($0.key.description.inFlow, $0.value.inFlow) }.sorted { $0 < $1 }.map { "\($0): \($1)" }.joined(separator: ", ")
            + " }"
    }
}
