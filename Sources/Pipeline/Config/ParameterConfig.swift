/// One declared parameter of a pipeline.
public struct ParameterConfig: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// The value it has when none is given; nil when one must be given.
    public let defaultValue: String?
    /// Where it is declared.
    public let range: TextRange
}

/// `[user]` or `{ user: { default: me } }`.
struct ParameterList: FieldValue {
    let parameters: [ParameterConfig]

    static let none = ParameterList(parameters: [])

    private static let fields = FieldGroup(
        Field("default", default: String?.none, "The value when none is given.")
    ) { $0 }

    /// Names that templates use for something else.
    private static let reserved = ["key", "pipeline"]

    static var fieldType: FieldType { .either([.list(.string), .map(.object(fields.declarations))]) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> ParameterList? {
        decoder.withTarget(of: node) { node in
            switch node.content {
            case .sequence(let elements):
                let parameters = elements.compactMap { element in
                    String.decode(element, with: decoder).map {
                        ParameterConfig(name: $0, defaultValue: nil, range: element.range)
                    }
                }
                return ParameterList(parameters: parameters.filter { isUsable($0, with: decoder) }.reportingRepeats(to: decoder))
            case .mapping(let members):
                return ParameterList(
                    parameters: members.compactMap { decode($0, with: decoder) }.filter { isUsable($0, with: decoder) })
            default:
                decoder.report(
                    .wrongType, "expected a list of names or a mapping for `parameters`, found \(node.kind)", at: node,
                    help: "write `parameters: [user]`")
                return nil
            }
        }
    }

    private static func decode(_ member: ConfigNode.Member, with decoder: FieldDecoder) -> ParameterConfig? {
        decoder.withValue(of: member) { node in
            if node.isNull { return ParameterConfig(name: member.key, defaultValue: nil, range: member.keyRange) }
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping for the parameter `\(member.key)`, found \(node.kind)", at: node,
                    help: "write `\(member.key): { default: … }`")
                return nil
            }
            let owner = FieldOwner(description: "parameter `\(member.key)`", range: node.range)
            return fields.decode(members, of: owner, with: decoder).map {
                ParameterConfig(name: member.key, defaultValue: $0, range: member.keyRange)
            }
        }
    }

    private static func isUsable(_ parameter: ParameterConfig, with decoder: FieldDecoder) -> Bool {
        if reserved.contains(parameter.name) {
            decoder.report(
                .notAllowed, "a parameter cannot be called `\(parameter.name)`: in templates that stands for something else",
                range: parameter.range)
            return false
        }
        guard Identifier.isValid(parameter.name) else {
            decoder.report(
                .malformed, "`\(parameter.name.shortened)` is not the name of a parameter", range: parameter.range,
                help: "a name has letters, digits and `_`, and does not begin with a digit")
            return false
        }
        return true
    }

    var written: String? { "[]" }
}

extension [ParameterConfig] {
    fileprivate func reportingRepeats(to decoder: FieldDecoder) -> [ParameterConfig] {
        var first: [String: TextRange] = [:]
        return filter { parameter in
            if let range = first[parameter.name] {
                decoder.report(
                    .duplicateKey, "the parameter `\(parameter.name)` is declared twice", range: parameter.range,
                    related: [Diagnostic.Related("first declared here", at: range)])
                return false
            }
            first[parameter.name] = parameter.range
            return true
        }
    }
}
