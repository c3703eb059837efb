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
                decoder.hasUnreadTexts = true
                return nil
            }
            return FieldMap(
                members.compactMap { member in
                    guard decoder.countPart(at: member.keyRange) else { return nil }
                    if reportUnspaced(member, to: decoder) { return nil }
                    decoder.memberName = member.key
                    defer { decoder.memberName = nil }
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
