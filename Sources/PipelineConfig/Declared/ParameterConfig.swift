internal import Pipeline

/// One declared parameter of a pipeline.
public struct ParameterConfig: Sendable, Hashable {
    /// The name of the parameter.
    public let name: String
    /// The value it has when none is given; nil when one must be given.
    public let defaultValue: String?
    /// The place where it is declared.
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
                if let meant = meant(by: elements, with: decoder) { return meant }
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
                    help: isType(node)
                        ? "each parameter is text: write `\(member.key.shortened): {}`, or a default as `\(member.key.shortened): { default: me }`"
                        : node.onOneLine.flatMap { node.scalarText == nil ? nil : "write `\(member.key.shortened): { default: \($0) }`" }
                            ?? "its value stands in `default`, as in `\(member.key.shortened): { default: me }`")
                return nil
            }
            let owner = FieldOwner("parameter", named: member.key, range: node.range, place: FieldAdvice.Place.parameter)
            return fields.decode(members, of: owner, with: decoder).map {
                ParameterConfig(name: member.key, defaultValue: $0, at: place)
            }
        }
    }

    /// `{user}`, `$user` and `user-id` without the signs that no name has.
    private static func name(meantBy text: String) -> String? {
        let name = String(text.map { $0 == "-" ? "_" : $0 }.filter { !"{}$:<>".contains($0) })
        return name != text && Identifier.isValid(name) ? name : nil
    }

    /// Whether a type stands where the default belongs.
    private static func isType(_ node: ConfigNode) -> Bool {
        ["string", "str", "text", "int", "integer", "number", "float", "bool", "boolean", "any", "required"].contains(node.scalarText)
    }

    /// Reports a list in which parameters have defaults or fields, and gives those that are meant; nil for a list of names.
    private static func meant(by elements: [ConfigNode], with decoder: FieldDecoder) -> ParameterList? {
        let meant = elements.map(declaration)
        guard let first = zip(elements, meant).first(where: { !$0.0.target.members.isEmpty || $0.1?.value != nil })?.0 else { return nil }
        let written = meant.map { $0.map { "\($0.name): \($0.value.map { "{ default: \($0) }" } ?? "{}")" } }
        let known = written.compactMap(\.self)
        decoder.report(
            .wrongType, "a list of parameters has names alone, found \(first.target.kind)", at: first,
            help: known.count == elements.count
                ? "write `parameters: { \(known.joined(separator: ", ")) }`".shortened(to: 200)
                : "write a mapping, as in `parameters: { user: {}, lang: { default: en } }`")
        return ParameterList(parameters: [], isComplete: false)
    }

    /// The parameter that an element of a list declares: `{ lang: en }`, `{ name: lang, default: en }`, `lang=en`, `lang`.
    private static func declaration(_ element: ConfigNode) -> (name: String, value: String?)? {
        let members = element.target.members
        if let name = members.first(where: { $0.key == "name" })?.value.target.scalarText, Identifier.isValid(name) {
            return (name, members.first { $0.key == "default" }?.value.onOneLine)
        }
        if members.count == 1, let member = members.first, Identifier.isValid(member.key) {
            let inner = member.value.target.members.first { $0.key == "default" }?.value
            let value = inner ?? (member.value.target.scalarText == nil || isType(member.value.target) ? nil : member.value)
            return (member.key, value?.onOneLine)
        }
        guard let text = element.target.scalarText else { return nil }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let name = parts.first, Identifier.isValid(name) else { return nil }
        return (name, parts.count > 1 && !parts[1].isEmpty ? parts[1].inFlow : nil)
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
                help: name(meantBy: parameter.name).map { "write `\($0)`" }
                    ?? "a name has letters, digits and `_`, and does not begin with a digit")
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
