internal import Pipeline

/// The members of a mapping with values of one type, in the order of the file.
public struct FieldMap<Value: FieldValue>: Sendable, RandomAccessCollection {
    /// One member.
    public typealias Element = (name: String, value: Value)

    private let members: [Element]

    /// A map of `members`, whose names differ.
    public init(_ members: [Element] = []) {
        self.members = members
    }

    /// The position of the first member.
    public var startIndex: Int { members.startIndex }
    /// The position after the last member.
    public var endIndex: Int { members.endIndex }
    /// The member at `position`, in the order of the file.
    public subscript(position: Int) -> Element { members[position] }
}

extension FieldMap: FieldValue {
    /// A mapping of any names.
    public static var fieldType: FieldType { .map(Value.fieldType) }

    /// The members that could be read; the others have been reported.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> FieldMap? {
        decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping of names to values for `\(decoder.fieldName)`, found \(node.kind)", at: node,
                    help: node.isNull
                        ? "indent what belongs to it below `\(decoder.fieldName):`, as in `\(decoder.fieldName): { NAME: VALUE }`"
                        : node.scalarText == nil
                            ? "give each value a name instead of `-`, as in `\(decoder.fieldName): { NAME: VALUE }`" : nil)
                decoder.notes.hasUnreadTexts = true
                return nil
            }
            return FieldMap(
                members.compactMap { member in
                    guard decoder.countPart(at: member.keyRange) else { return nil }
                    if reportUnspaced(member, to: decoder) { return nil }
                    decoder.field.memberName = member.key
                    defer { decoder.field.memberName = nil }
                    return decoder.places.withValue(of: member) { Value.decode($0, with: decoder) }.map { (member.key, $0) }
                })
        }
    }

    /// In `{ user:/id }` all of it is a key, since a space is missing.
    private static func reportUnspaced(_ member: ConfigNode.Member, to decoder: FieldDecoder) -> Bool {
        guard member.value.isNull, let colon = member.key.firstIndex(of: ":"), colon > member.key.startIndex,
            case let value = member.key[colon...].dropFirst(), !value.isEmpty
        else { return false }
        decoder.report(
            .wrongType, "`\(member.key.shortened)` has no value in `\(decoder.fieldName)`: a space is missing after the `:`",
            at: decoder.places.place(ofKeyOf: member), help: "write `\("\(member.key[..<colon]): \(value)".shortened)`")
        return true
    }

    /// `{}` when it is empty; others are not written on one line.
    public var written: String? { isEmpty ? "{}" : nil }
}

/// One value, or a list of at least one.
struct OneOrMore<Element: FieldValue>: FieldValue {
    let elements: [Element]

    static var fieldType: FieldType { .either([Element.fieldType, .list(Element.fieldType, atLeast: 1)]) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> OneOrMore? {
        decoder.places.withTarget(of: node) { node in
            guard case .sequence(let nodes) = node.content else {
                return Element.decode(node, with: decoder).map { OneOrMore(elements: [$0]) }
            }
            guard !nodes.isEmpty else {
                decoder.report(.outOfRange, "the list for `\(decoder.fieldName)` is empty", at: node)
                return nil
            }
            let elements = nodes.compactMap { Element.decode($0, with: decoder) }
            return elements.count == nodes.count ? OneOrMore(elements: elements) : nil
        }
    }

    /// Without brackets where it is one.
    var written: String? { elements.count == 1 ? elements.first?.written : elements.written }
}

/// A value with parts that have names in the file, so that what is wrong with one is said of that one.
protocol NamedParts {
    /// The name of the first part that alone is wrong.
    func firstName(where isWrong: (Self) -> Bool) -> String?
}

extension FieldMap: NamedParts {
    func firstName(where isWrong: (FieldMap) -> Bool) -> String? {
        first { isWrong(FieldMap([$0])) }?.name
    }
}

extension FieldDecoder {
    /// A ratio that is written as a number of percent: `80%` for `80`.
    private func percent<Value>(_ value: Value, of node: ConfigNode, isWrong: (Value) -> Bool) -> String? {
        let ratio = value as? Ratio ?? (value as? Ratio?).flatMap(\.self)
        guard let ratio, let text = node.target.scalarText, ratio.value > 1, !text.hasSuffix("%"), quoted(node) == "`\(text)`" else {
            return nil
        }
        guard let meant = Ratio(ratio.value / 100) as? Value ?? (Ratio(ratio.value / 100) as Ratio?) as? Value, !isWrong(meant) else {
            return nil
        }
        return "write `\(text)%`"
    }

    /// Reports what is wrong with `value`; at the key that is wrong, or what stands there, where it has keys.
    func report<Value>(_ problem: FieldProblem, of value: Value, at node: ConfigNode, isWrong: (Value) -> Bool) {
        func firstName<Parts: NamedParts>(in parts: Parts) -> String? {
            parts.firstName { ($0 as? Value).map(isWrong) ?? false }
        }
        let name = (value as? any NamedParts).flatMap({ firstName(in: $0) })
        let member = name.flatMap { name in node.target.members.last { $0.key == name } }
        switch (problem, member) {
        case (.expected(let expected), let member?):
            report(
                .outOfRange, "`\(member.key.shortened)` is out of range for `\(fieldName)`: expected \(expected)",
                at: places.place(ofKeyOf: member))
        case (.expected(let expected), nil):
            report(
                .outOfRange, "\(quoted(node)) is out of range for `\(fieldName)`: expected \(expected)", at: node,
                help: percent(value, of: node, isWrong: isWrong))
        case (.name(let message), _):
            report(.outOfRange, message, at: member.map { places.place(ofKeyOf: $0) } ?? places.place(of: nil, in: node))
        case (.value(let message, let help), _):
            let place = member.map { member in places.withValue(of: member) { places.place(of: nil, in: $0) } }
            report(.malformed, message, at: place ?? places.place(of: nil, in: node), help: help)
        }
    }
}
