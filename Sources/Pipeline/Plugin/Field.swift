/// One field of a plugin: its key, type, default, bounds and documentation, declared once.
public struct Field<Value: FieldValue>: Sendable {
    /// What is declared, without the type parameter.
    public let declaration: FieldDeclaration
    let defaultValue: Value?
    private let check: @Sendable (Value) -> String?

    init(_ declaration: FieldDeclaration, defaultValue: Value?, check: @escaping @Sendable (Value) -> String? = { _ in nil }) {
        self.declaration = declaration
        self.defaultValue = defaultValue
        self.check = check
    }

    /// A field that must be given.
    public init(_ name: String, _ documentation: String, example: String? = nil) {
        self.init(
            FieldDeclaration(name: name, type: Value.fieldType, documentation: documentation, isRequired: true, example: example),
            defaultValue: nil)
    }

    /// A field with a default.
    ///
    /// - Parameter withdraws: what the source can no longer do when this field, a bool, is true.
    public init(
        _ name: String, default defaultValue: Value, _ documentation: String, example: String? = nil,
        withdraws: Capabilities = []
    ) {
        self.init(
            FieldDeclaration(
                name: name, type: Value.fieldType, documentation: documentation, defaultText: defaultValue.written,
                example: example, withdraws: withdraws),
            defaultValue: defaultValue)
    }

    /// A field with a default and bounds.
    public init(
        _ name: String, default defaultValue: Value, range: some FieldRange<Value>, _ documentation: String,
        example: String? = nil
    ) where Value: Comparable {
        self.init(
            FieldDeclaration(
                name: name, type: Value.fieldType, documentation: documentation, defaultText: defaultValue.written,
                bounds: range.bounds, example: example),
            defaultValue: defaultValue,
            check: { range.contains($0) ? nil : range.bounds.words })
    }

    /// A field that may be left out, with bounds for a value that is given.
    public init<Wrapped: Comparable>(
        _ name: String, default defaultValue: Value, range: some FieldRange<Wrapped>, _ documentation: String,
        example: String? = nil
    ) where Value == Wrapped? {
        self.init(
            FieldDeclaration(
                name: name, type: Value.fieldType, documentation: documentation, defaultText: defaultValue.written,
                bounds: range.bounds, example: example),
            defaultValue: defaultValue,
            check: { $0.map(range.contains) ?? true ? nil : range.bounds.words })
    }

    /// The same field with one more condition: `problem` says what was expected instead, or nil when the value is good.
    ///
    /// - Parameter rule: the same condition as far as a schema can state it; it must not refuse what `problem` lets pass.
    public func checked(stating rule: FieldRule? = nil, _ problem: @escaping @Sendable (Value) -> String?) -> Field {
        var declaration = declaration
        if let rule { declaration.rule = rule }
        return Field(declaration, defaultValue: defaultValue) { [check] in check($0) ?? problem($0) }
    }

    /// The same field, which `replacement` replaces: it is read as before, with a warning.
    public func deprecated(use replacement: String) -> Field {
        var declaration = declaration
        declaration.replacement = replacement
        return Field(declaration, defaultValue: defaultValue, check: check)
    }

    /// The same field with a role, for the rules that look at more than one source.
    public func role(_ role: FieldRole) -> Field {
        var declaration = declaration
        declaration.role = role
        return Field(declaration, defaultValue: defaultValue, check: check)
    }

    /// Reads the field from the members of a mapping; nil when it cannot be known, and then that has been reported.
    ///
    /// In place of a value that cannot be read the default is given.
    func read(from members: [ConfigNode.Member], of owner: FieldOwner, with decoder: FieldDecoder) -> Value? {
        guard let role = declaration.role else { return value(in: members, of: owner, with: decoder) }
        return decoder.noting(role, of: declaration.name, in: members) { value(in: members, of: owner, with: decoder) }
    }

    private func value(in members: [ConfigNode.Member], of owner: FieldOwner, with decoder: FieldDecoder) -> Value? {
        decoder.fieldName = declaration.name
        decoder.memberName = nil
        guard let member = members.last(where: { $0.key == declaration.name }) else {
            if let defaultValue { return defaultValue }
            // A field with a mistyped name is there: that has been reported.
            if owner.misspelt.contains(declaration.name) { return nil }
            decoder.report(
                .missingField, "\(owner.description) needs `\(declaration.name)`", range: owner.range,
                help: declaration.example.map { "add `\(declaration.name): \($0)`" })
            return nil
        }
        return decoder.withValue(of: member) { node in
            // What is wrong has been reported; the default stands in, so that the rest is still checked.
            guard let value = Value.decode(node, with: decoder) else { return defaultValue }
            if let expected = check(value) {
                decoder.report(
                    .outOfRange, "\(decoder.quoted(node)) is out of range for `\(declaration.name)`: expected \(expected)", at: node)
                return defaultValue
            }
            if (value as? Bool) == true { decoder.withdrawn.formUnion(declaration.withdraws) }
            return value
        }
    }
}
