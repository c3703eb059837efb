internal import Pipeline

/// One field of a plugin: its key, type, default, bounds and documentation, declared once.
public struct Field<Value: FieldValue>: Sendable {
    /// Behind one reference: a group hands its fields on for each mapping that it reads.
    private final class Storage: Sendable {
        // What depends on the type comes last: the places of all that stands before it are known when the program is built.
        let declaration: FieldDeclaration
        /// That of the declaration, which is large to copy for each value that is read.
        let role: FieldRole?
        /// Gives the default; nil where there is none.
        let standIn: (@Sendable () -> Value)?
        /// Reads the field where it is given, or must be.
        let reading: Reading
        let check: @Sendable (Value) -> FieldProblem?
        let defaultValue: Value?

        init(
            _ declaration: FieldDeclaration, defaultValue: Value?, check: @escaping @Sendable (Value) -> FieldProblem?,
            reading: @escaping Reading
        ) {
            self.declaration = declaration
            role = declaration.role
            self.defaultValue = defaultValue
            self.check = check
            standIn = if let defaultValue { { defaultValue } } else { nil }
            self.reading = reading
        }
    }

    private typealias Reading = @Sendable (FieldMembers, FieldDecoder) throws -> Value

    private let storage: Storage

    /// The declaration, without the type parameter.
    public var declaration: FieldDeclaration { storage.declaration }
    var defaultValue: Value? { storage.defaultValue }

    // Inlined, as those below that call it, so that the closure is made where the type is known: of a large file, half the time
    // would go into finding out about the type for each field of each mapping.
    @inline(__always)
    init(_ declaration: FieldDeclaration, defaultValue: Value?, check: @escaping @Sendable (Value) -> FieldProblem? = { _ in nil }) {
        let (name, bounds) = (declaration.name, declaration.bounds)
        storage = Storage(declaration, defaultValue: defaultValue, check: check) { members, decoder in
            decoder.fieldName = name
            guard let (node, depth) = members.enter(name, with: decoder) else {
                if let defaultValue { return defaultValue }
                members.reportMissing(declaration, to: decoder)
                throw UnknownValue()
            }
            defer { decoder.places.leave(to: depth) }
            let mark = decoder.problems.mark
            decoder.field.bounds = bounds
            let value = Value.decode(node, with: decoder)
            if let value {
                guard let problem = check(value) else {
                    return value
                }
                decoder.report(problem, of: value, at: node, isWrong: { check($0) != nil })
            }
            decoder.addHelp(for: declaration, since: mark, inPlaceOf: value)
            // What is wrong has been reported; the default stands in, so that the rest is still checked.
            guard let defaultValue else { throw UnknownValue() }
            return defaultValue
        }
    }

    /// A field that must be given.
    @inline(__always)
    public init(_ name: String, _ documentation: String, example: String? = nil) {
        self.init(
            FieldDeclaration(name: name, type: Value.fieldType, documentation: documentation, isRequired: true, example: example),
            defaultValue: nil)
    }

    /// A field with a default.
    @inline(__always)
    public init(
        _ name: String, default defaultValue: Value, _ documentation: String, example: String? = nil
    ) {
        self.init(
            FieldDeclaration(
                name: name, type: Value.fieldType, documentation: documentation, defaultText: defaultValue.written,
                example: example),
            defaultValue: defaultValue)
    }

    /// A field with a default and bounds.
    @inline(__always)
    public init(
        _ name: String, default defaultValue: Value, range: some FieldRange<Value>, _ documentation: String,
        example: String? = nil
    ) {
        self.init(
            FieldDeclaration(
                name: name, type: Value.fieldType, documentation: documentation, defaultText: defaultValue.written,
                bounds: range.bounds, example: example),
            defaultValue: defaultValue,
            check: { range.contains($0) ? nil : .expected(range.bounds.words) })
    }

    /// A field that may be left out, with bounds for a value that is given.
    @inline(__always)
    public init<Wrapped>(
        _ name: String, default defaultValue: Value, range: some FieldRange<Wrapped>, _ documentation: String,
        example: String? = nil
    ) where Value == Wrapped? {
        self.init(
            FieldDeclaration(
                name: name, type: Value.fieldType, documentation: documentation, defaultText: defaultValue.written,
                bounds: range.bounds, example: example),
            defaultValue: defaultValue,
            check: { $0.map(range.contains) ?? true ? nil : .expected(range.bounds.words) })
    }

    /// This field with one more condition: `problem` says what was expected instead, or nil if the value is good.
    ///
    /// - Parameter rule: the same condition as far as a schema can state it; it must not refuse what `problem` lets pass.
    public func checked(stating rule: FieldRule? = nil, _ problem: @escaping @Sendable (Value) -> String?) -> Field {
        judged(stating: rule) { problem($0).map(FieldProblem.expected) }
    }

    /// This field with a problem that may have words of its own.
    package func judged(stating rule: FieldRule?, _ problem: @escaping @Sendable (Value) -> FieldProblem?) -> Field {
        var declaration = declaration
        if let rule { declaration.rule = rule }
        return Field(declaration, defaultValue: defaultValue) { [check = storage.check] in check($0) ?? problem($0) }
    }

    /// This field, which means nothing unless the field `other` is given beside it.
    ///
    /// - Parameter reason: what is the case without it, as a part of a sentence.
    package func needing(_ other: String, _ reason: String) -> Field {
        var declaration = declaration
        declaration.need = FieldNeed(field: other, reason: reason)
        return Field(declaration, defaultValue: defaultValue, check: storage.check)
    }

    /// This field, which must be given unless the field `other` is.
    package func required(unless other: String) -> Field {
        var declaration = declaration
        declaration.alternative = other
        return Field(declaration, defaultValue: defaultValue, check: storage.check)
    }

    /// This field, which `replacement` replaces: it is read as before, with a warning.
    public func deprecated(use replacement: String) -> Field {
        var declaration = declaration
        declaration.replacement = replacement
        return Field(declaration, defaultValue: defaultValue, check: storage.check)
    }

    /// This field with a role, for the rules that look at more than one source.
    public func role(_ role: FieldRole) -> Field {
        var declaration = declaration
        declaration.role = role
        return Field(declaration, defaultValue: defaultValue, check: storage.check)
    }

    /// Whether the field makes a cache an origin, and does so with `value`.
    func isReadOnly(_ value: Value) -> Bool { storage.role == .readOnly && value as? Bool == true }

    /// The value of the field with this number; throws ``UnknownValue`` when it cannot be known, and then that has been reported.
    ///
    /// In place of a value that cannot be read the default is given.
    func value(number: Int, of members: FieldMembers, with decoder: FieldDecoder) throws -> Value {
        if let role = storage.role {
            return try decoder.noting(role, of: declaration.name, in: members.members) { try storage.reading(members, decoder) }
        }
        // Most fields are left out.
        if !members.isGiven(number), let standIn = storage.standIn { return standIn() }
        return try storage.reading(members, decoder)
    }
}

/// The members of a mapping and what it is.
struct FieldMembers {
    let members: [ConfigNode.Member]
    let owner: FieldOwner
    /// A bit for each field that is given, in the order of the fields. Fields from the 64th on count as given: they are looked for.
    var given: UInt64 = 0

    func isGiven(_ field: Int) -> Bool { field >= 64 || given & (1 << UInt64(field)) != 0 }

    /// The value of `name` behind all aliases, as ``FieldDecoder/enter(_:merges:)`` gives it; nil when the field is left out.
    func enter(_ name: String, with decoder: FieldDecoder) -> (node: ConfigNode, depth: Int)? {
        members.indices.last { members[$0].key == name }.map { decoder.places.enter(members[$0].value, merges: members[$0].merges) }
    }

    func reportMissing(_ field: FieldDeclaration, to decoder: FieldDecoder) {
        // A field with a mistyped name is there: that has been reported.
        if owner.misspelt.contains(field.name) { return }
        decoder.report(
            .missingField, "\(owner.description) needs `\(field.name)`", range: owner.range,
            help: owner.helps[field.name] ?? field.example.map { "add `\(field.name): \(decoder.fitted($0))`" })
    }
}

/// The problem with the value of a field that could be read.
package enum FieldProblem: Sendable {
    /// The value is out of range; says what was expected instead.
    case expected(String)
    /// One of its names cannot be one, in these words.
    case name(String)
    /// The value at one of its names is malformed, in these words.
    case value(String, help: String)
}

/// That a field's value cannot be known; what is wrong has been reported.
struct UnknownValue: Error {}
