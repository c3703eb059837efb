/// A type that a field can have.
///
/// Conform your own type by decoding what it is written as: ``FieldDecoder/text(of:expecting:)`` gives the text of a scalar with its
/// variables looked up, and ``FieldDecoder/report(_:_:at:help:)`` says what is wrong with it.
public protocol FieldValue: Sendable {
    /// What can be written, for the documentation.
    static var fieldType: FieldType { get }

    /// The value written in `node`, or nil when it cannot be known; then what is wrong has been reported to `decoder`.
    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Self?

    /// The value as it would be written, to document a default; nil when there is nothing to write.
    var written: String? { get }

    /// What the value comes to, as a part of a sentence, for a field that ``FieldRole`` explains so. Nil unless implemented.
    var explanation: String? { get }

    /// The time that the value is, or that matters of it, for a field whose ``FieldRole`` compares it. Nil unless implemented.
    var duration: Duration? { get }

    /// This place in `folder`, for a field whose ``FieldRole`` says where a cache keeps its copies. Nil unless implemented: the value
    /// is no place of files, and stays what it is when a run keeps its copies elsewhere.
    func moved(into folder: String) -> Self?
}

extension FieldValue {
    /// There is nothing to say beyond the value.
    public var explanation: String? { nil }

    /// The value is no time.
    public var duration: Duration? { nil }

    /// The value is no place of files.
    public func moved(into folder: String) -> Self? { nil }
}

/// A choice among known words: an enum with string raw values is a field's type by declaring this.
public protocol FieldChoice: FieldValue, RawRepresentable, CaseIterable where RawValue == String {}

extension FieldChoice {
    /// One of the raw values.
    public static var fieldType: FieldType { .choice(allCases.map { $0.rawValue }) }

    /// The case whose raw value is written.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Self? {
        let words = allCases.map(\.rawValue)
        guard let text = decoder.text(of: node, expecting: "one of \(words.map { "`\($0)`" }.joined(separator: ", "))") else {
            return nil
        }
        if let value = Self(rawValue: text) { return value }
        decoder.report(
            .notAllowed, "\(decoder.quoted(node)) is not allowed for `\(decoder.fieldName)`", word: text, of: node, among: words,
            noun: "values")
        return nil
    }

    /// The raw value.
    public var written: String? { rawValue }
}

/// A field's type that is a mapping with fields of its own.
///
/// Declare the fields as a `static let`, so that they are made once.
public protocol FieldObject: FieldValue {
    /// The fields, and how they make the value.
    static var fields: FieldGroup<Self> { get }
    /// What it is called in messages: `a retry policy`.
    static var noun: String { get }
    /// Reports what is wrong between fields that are sound one by one. By default nothing is.
    static func check(_ value: Self, _ members: [ConfigNode.Member], with decoder: FieldDecoder)
}

extension FieldObject {
    /// A mapping with these fields.
    public static var fieldType: FieldType { .object(fields.declarations) }

    /// The value, when every field that must be given is sound.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Self? {
        decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping for `\(decoder.fieldName)`, found \(node.kind)", at: node,
                    help: help(for: node, with: decoder)
                        ?? "its fields are \(fields.declarations.map { "`\($0.name)`" }.joined(separator: ", "))")
                return nil
            }
            let mark = decoder.problems.mark
            let value = fields.decode(members, of: FieldOwner(description: noun, range: node.range), with: decoder)
            if let value, !decoder.problems.hasErrors(since: mark) { check(value, members, with: decoder) }
            return value
        }
    }

    /// Nothing is wrong.
    public static func check(_ value: Self, _ members: [ConfigNode.Member], with decoder: FieldDecoder) {}

    /// What `retry: 3`, `hedge: p95` and `retry: true` mean; nil for anything else.
    private static func help(for node: ConfigNode, with decoder: FieldDecoder) -> String? {
        guard let text = node.scalarText, let first = fields.declarations.first else { return nil }
        let name = decoder.fieldName
        if CoreSchema.bool(text) == false || text == "none" { return "remove `\(name)`" }
        if CoreSchema.bool(text) == true { return first.defaultText.map { "write `\(name): { \(first.name): \($0) }`" } }
        guard !text.isEmpty, text.utf8.count <= 40, !text.contains("$"), !decoder.secrets.holds(node.range) else { return nil }
        // A number is how many, and 0 of them is none, whatever else it could be taken for.
        let isNumber = CoreSchema.int(text) != nil
        let field =
            isNumber
            ? fields.declarations.first { $0.type.holdsNumbers }.flatMap { takes(node, as: $0.name, with: decoder) ? $0 : nil }
            : fields.declarations.first { takes(node, as: $0.name, with: decoder) }
        if field == nil, CoreSchema.int(text) == 0 { return "remove `\(name)`" }
        return field.map { "write `\(name): { \($0.name): \(text) }`" }
    }

    /// Whether `node` would be a sound value of one field. Found out on the side: nothing of it is reported.
    private static func takes(_ node: ConfigNode, as field: String, with decoder: FieldDecoder) -> Bool {
        let trial = FieldDecoder(file: decoder.file, folder: decoder.folder, environment: decoder.interpolation.environment)
        let member = ConfigNode.Member(key: field, keyRange: node.range, value: node)
        _ = fields.decode([member], of: FieldOwner(description: noun, range: node.range), with: trial)
        return trial.problems.diagnostics.isEmpty
    }

    /// Nil: it is not written on one line.
    public var written: String? { nil }
}

extension FieldType {
    /// Whether an integer can be written.
    fileprivate var holdsNumbers: Bool {
        switch self {
        case .int: true
        case .either(let types): types.contains { $0.holdsNumbers }
        default: false
        }
    }
}
