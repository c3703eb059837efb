/// One field of a plugin: its key, type, default, bounds and documentation, declared once.
public struct Field<Value: FieldValue>: Sendable {
    /// Behind one reference: a group hands its fields on for each mapping that it reads.
    private final class Storage: Sendable {
        let declaration: FieldDeclaration
        let name: String
        let withdraws: Capabilities
        let defaultValue: Value?
        /// Gives the default; nil where there is none. Apart from ``defaultValue``, since an optional costs a generic function more.
        let standIn: (@Sendable () -> Value)?
        let check: @Sendable (Value) -> String?

        init(_ declaration: FieldDeclaration, defaultValue: Value?, check: @escaping @Sendable (Value) -> String?) {
            self.declaration = declaration
            name = declaration.name
            withdraws = declaration.withdraws
            self.defaultValue = defaultValue
            standIn = if let defaultValue { { defaultValue } } else { nil }
            self.check = check
        }
    }

    private let storage: Storage

    /// What is declared, without the type parameter.
    public var declaration: FieldDeclaration { storage.declaration }
    private var name: String { storage.name }
    var defaultValue: Value? { storage.defaultValue }
    private var check: @Sendable (Value) -> String? { storage.check }

    init(_ declaration: FieldDeclaration, defaultValue: Value?, check: @escaping @Sendable (Value) -> String? = { _ in nil }) {
        storage = Storage(declaration, defaultValue: defaultValue, check: check)
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
                rangeText: range.words, example: example),
            defaultValue: defaultValue,
            check: { range.contains($0) ? nil : range.words })
    }

    /// A field that may be left out, with bounds for a value that is given.
    public init<Wrapped: Comparable>(
        _ name: String, default defaultValue: Value, range: some FieldRange<Wrapped>, _ documentation: String,
        example: String? = nil
    ) where Value == Wrapped? {
        self.init(
            FieldDeclaration(
                name: name, type: Value.fieldType, documentation: documentation, defaultText: defaultValue.written,
                rangeText: range.words, example: example),
            defaultValue: defaultValue,
            check: { $0.map(range.contains) ?? true ? nil : range.words })
    }

    /// The same field with one more condition: `problem` says what was expected instead, or nil when the value is good.
    public func checked(_ problem: @escaping @Sendable (Value) -> String?) -> Field {
        Field(declaration, defaultValue: defaultValue) { [check] in check($0) ?? problem($0) }
    }

    /// The value of the field; throws ``UnknownValue`` when it cannot be known, and then that has been reported.
    func value(number: Int, of members: FieldMembers, with decoder: FieldDecoder) throws -> Value {
        // Most fields are left out.
        if !members.isGiven(number), let standIn = storage.standIn { return standIn() }
        return try givenValue(from: members, with: decoder)
    }

    /// Apart, since what it needs for any type at all would be made at the beginning of ``value(number:of:with:)``.
    @inline(never)
    private func givenValue(from members: FieldMembers, with decoder: FieldDecoder) throws -> Value {
        guard let value = read(from: members.members, of: members.owner, with: decoder) else { throw UnknownValue() }
        return value
    }

    /// Reads the field from the members of a mapping; nil when it cannot be known, and then that has been reported.
    ///
    /// In place of a value that cannot be read the default is given.
    func read(from members: [ConfigNode.Member], of owner: FieldOwner, with decoder: FieldDecoder) -> Value? {
        decoder.fieldName = name
        guard let index = members.indices.last(where: { members[$0].key == name }) else {
            if let defaultValue { return defaultValue }
            // A field with a mistyped name is there: that has been reported.
            if owner.misspelt.contains(declaration.name) { return nil }
            decoder.report(
                .missingField, "\(owner.description) needs `\(declaration.name)`", range: owner.range,
                help: declaration.example.map { "add `\(declaration.name): \($0)`" })
            return nil
        }
        let (node, depth) = decoder.enter(members[index])
        defer { decoder.leave(to: depth) }
        // What is wrong has been reported; the default stands in, so that the rest is still checked.
        guard let value = Value.decode(node, with: decoder) else { return defaultValue }
        if let expected = check(value) {
            decoder.report(
                .outOfRange, "\(decoder.quoted(node)) is out of range for `\(declaration.name)`: expected \(expected)", at: node)
            return defaultValue
        }
        if !storage.withdraws.isEmpty, (value as? Bool) == true { decoder.withdrawn.formUnion(storage.withdraws) }
        return value
    }
}
