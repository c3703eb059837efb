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

    /// The same place in `folder`, for a field whose ``FieldRole`` says where a cache keeps its copies. Nil unless implemented: the value
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
