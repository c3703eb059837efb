package import PipelineConfig

/// The members of a mapping with their places, in the order of the file.
package struct NamedValues<Value: FieldValue>: Sendable {
    package struct Member: Sendable {
        package let name: String
        /// The place of the name.
        package let range: TextRange
        package let value: Value
    }

    package let members: [Member]

    /// The names of all members, also of those that could not be read, which was reported.
    package let names: [String]

    package init(_ members: [Member] = []) {
        self.init(members, names: members.map(\.name))
    }

    private init(_ members: [Member], names: [String]) {
        (self.members, self.names) = (members, names)
    }

    /// The value called `name`.
    package subscript(name: String) -> Value? { members.first { $0.name == name }?.value }
}

extension NamedValues: FieldValue {
    package static var fieldType: FieldType { .map(Value.fieldType) }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> NamedValues? {
        decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping of names to values for `\(decoder.fieldName)`, found \(node.kind)", at: node)
                return nil
            }
            let field = decoder.fieldName
            return NamedValues(
                members.compactMap { member in
                    guard decoder.countPart(at: member.keyRange) else { return nil }
                    decoder.fieldName = field
                    return decoder.places.withValue(of: member) { Value.decode($0, with: decoder) }
                        .map { Member(name: member.key, range: member.keyRange, value: $0) }
                }, names: members.map(\.key))
        }
    }

    package var written: String? { members.isEmpty ? "{}" : nil }
}

/// A value and where it is written.
package struct Placed<Value: Sendable>: Sendable {
    package let value: Value
    package let range: TextRange

    package init(_ value: Value, at range: TextRange) {
        (self.value, self.range) = (value, range)
    }
}

extension Placed: FieldValue where Value: FieldValue {
    package static var fieldType: FieldType { Value.fieldType }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Placed? {
        decoder.places.withTarget(of: node) { node in Value.decode(node, with: decoder).map { Placed($0, at: node.range) } }
    }

    package var written: String? { value.written }
}

/// Text as it is written: nothing is replaced in it.
package struct ScenarioText: Sendable, Hashable {
    package let text: String
    /// Indicates whether it was written without quotes, so that a word may mean more than its letters.
    package let isPlain: Bool

    package init(_ text: String, isPlain: Bool = false) {
        (self.text, self.isPlain) = (text, isPlain)
    }

    package var bytes: [UInt8] { Array(text.utf8) }
}

extension ScenarioText: FieldValue {
    package static var fieldType: FieldType { .string }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> ScenarioText? {
        decoder.places.withTarget(of: node) { node in
            if case .scalar(let scalar) = node.content, !node.isNull { return ScenarioText(scalar.text, isPlain: scalar.isPlain) }
            decoder.report(
                .wrongType, "expected text for `\(decoder.fieldName)`, found \(node.kind)", at: node,
                help: node.isNull ? "quote it: `'null'`" : "put JSON into quotes, as in `'[\"v1\"]'`, or write it below `json:`")
            return nil
        }
    }

    package var written: String? { text }
}

/// Arguments in one text: `user=42`, `user=42,lang=de`.
///
/// A comma begins another argument only before a name and `=`, so that a value can have commas.
struct ArgumentText {
    let arguments: [(name: String, value: String)]

    init(_ text: String) {
        var arguments: [(name: String, value: String)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let trimmed = part.drop { $0 == " " }
            let name = trimmed.prefix { $0 != "=" }
            let isName = name.count < trimmed.count && !name.isEmpty && name.utf8.allSatisfy(Self.isOfName)
            if isName || arguments.isEmpty {
                arguments.append((String(name), String(trimmed.dropFirst(name.count + 1))))
            } else {
                arguments[arguments.count - 1].value += "," + part
            }
        }
        self.arguments = arguments
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    var dictionary: [String: String] { Dictionary(arguments.map { ($0.name, $0.value) }) { _, last in last } }

    /// Arguments as one text, empty without any; nil if that would be read as others.
    static func text(_ arguments: NamedValues<ScenarioText>) -> String? {
        guard !arguments.members.isEmpty else { return "" }
        let text = arguments.members.map { "\($0.name)=\($0.value.text)" }.joined(separator: ",")
        return ArgumentText(text).dictionary == arguments.dictionary ? text : nil
    }
}
