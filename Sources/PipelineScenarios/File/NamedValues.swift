package import PipelineConfig

/// The members of a mapping with their places, in the order of the file.
package struct NamedValues<Value: FieldValue>: Sendable {
    package struct Member: Sendable {
        package let name: String
        /// Where the name stands.
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
