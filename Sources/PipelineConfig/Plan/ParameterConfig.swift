internal import Pipeline

/// One declared parameter of a pipeline.
public struct ParameterConfig: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// The value it has when none is given; nil when one must be given.
    public let defaultValue: String?
    /// Where it is declared.
    public let range: TextRange
    /// The aliases and merges on the way.
    let uses: [TextRange]

    init(name: String, defaultValue: String?, at place: ConfigPlace) {
        self.name = name
        self.defaultValue = defaultValue
        range = place.range
        uses = place.uses
    }

    var place: ConfigPlace { ConfigPlace(range: range, uses: uses) }

    /// As the engine takes it.
    var spec: ParameterSpec { ParameterSpec(name, default: defaultValue) }
}

/// `[user]` or `{ user: { default: me } }`.
struct ParameterList: FieldValue {
    let parameters: [ParameterConfig]
    /// Whether all that are written could be read; else it is unknown which parameters there are.
    let isComplete: Bool

    static let none = ParameterList(parameters: [], isComplete: true)

    private static let fields = FieldGroup(
        Field("default", default: String?.none, "The value when a fetch does not give one.")
    ) { $0 }

    /// Names that templates use for something else.
    private static let reserved = ["key", "pipeline"]

    private static let nameForm = FieldWord(
        "name", matching: "^(?!(?:\(reserved.joined(separator: "|")))$)\(Identifier.pattern)$", allowsBools: true, isUnique: true)

    static var fieldType: FieldType {
        .either([.list(.word(nameForm)), .map(.either([.object(fields.declarations), .nothing]), keys: nameForm)])
    }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> ParameterList? {
        decoder.places.withTarget(of: node) { node in
            switch node.content {
            case .sequence(let elements):
                let parameters = elements.compactMap { element in
                    String.decode(element, with: decoder).map { name in
                        ParameterConfig(
                            name: name, defaultValue: nil, at: decoder.places.withTarget(of: element) { decoder.places.place(of: $0.range) }
                        )
                    }
                }.filter { isUsable($0, with: decoder) }
                return ParameterList(
                    parameters: parameters.reportingRepeats(to: decoder), isComplete: parameters.count == elements.count)
            case .mapping(let members):
                let parameters = members.compactMap { decode($0, with: decoder) }.filter { isUsable($0, with: decoder) }
                return ParameterList(parameters: parameters, isComplete: parameters.count == members.count)
            default:
                decoder.report(
                    .wrongType, "expected a list of names or a mapping for `parameters`, found \(node.kind)", at: node,
                    help: {
                        let names = node.scalarText.flatMap { FieldDecoder.words(of: $0) } ?? []
                        return !names.isEmpty && names.allSatisfy(Identifier.isValid)
                            ? "write `parameters: [\(names.joined(separator: ", "))]`".shortened(to: 200)
                            : "list their names, as in `parameters: [user]`"
                    }())
                return ParameterList(parameters: [], isComplete: false)
            }
        }
    }

    private static func decode(_ member: ConfigNode.Member, with decoder: FieldDecoder) -> ParameterConfig? {
        let place = decoder.places.place(ofKeyOf: member)
        return decoder.places.withValue(of: member) { node in
            if node.isNull { return ParameterConfig(name: member.key, defaultValue: nil, at: place) }
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping for the parameter `\(member.key.shortened)`, found \(node.kind)", at: node,
                    help: node.onOneLine.flatMap { node.scalarText == nil ? nil : "write `\(member.key.shortened): { default: \($0) }`" }
                        ?? "its value stands in `default`, as in `\(member.key.shortened): { default: me }`")
                return nil
            }
            let owner = FieldOwner("parameter", named: member.key, range: node.range)
            return fields.decode(members, of: owner, with: decoder).map {
                ParameterConfig(name: member.key, defaultValue: $0, at: place)
            }
        }
    }

    private static func isUsable(_ parameter: ParameterConfig, with decoder: FieldDecoder) -> Bool {
        if reserved.contains(parameter.name) {
            decoder.report(
                .notAllowed, "a parameter cannot be called `\(parameter.name)`: templates use that name for something else",
                at: parameter.place, help: "give it another name")
            return false
        }
        guard Identifier.isValid(parameter.name) else {
            decoder.report(
                .malformed, "`\(parameter.name.shortened)` is not the name of a parameter", at: parameter.place,
                help: "a name has letters, digits and `_`, and does not begin with a digit")
            return false
        }
        return true
    }

    var written: String? { "[]" }
}

extension [ParameterConfig] {
    fileprivate func reportingRepeats(to decoder: FieldDecoder) -> [ParameterConfig] {
        guard count > 1 else { return self }
        var first: [String: TextRange] = [:]
        return filter { parameter in
            if let range = first[parameter.name] {
                decoder.report(
                    .duplicateKey, "the parameter `\(parameter.name)` is declared twice", at: parameter.place,
                    help: "remove one of the two",
                    related: [Diagnostic.Related("first declared here", at: range)])
                return false
            }
            first[parameter.name] = parameter.range
            return true
        }
    }
}
