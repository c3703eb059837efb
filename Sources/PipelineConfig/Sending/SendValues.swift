internal import Pipeline
internal import PipelineJSON
public import PipelineSending

extension SendChange.Operation: FieldChoice {}
extension ConflictRule: FieldChoice {}

/// What a send waits for, beside those with its `scope`.
enum SendOrder: String, FieldChoice {
    case key
    case none
}

/// Whether a send takes the place of an earlier one.
enum Coalescing: String, FieldChoice {
    case none
    case last
}

extension SendCondition: FieldValue {
    private static let words: [(String, SendCondition)] = [("none", .none), ("etag", .etag)]

    /// A word, or a JSON Pointer.
    public static var fieldType: FieldType { .either([.choice(words.map(\.0)), JSONPointer.fieldType]) }

    /// The condition that is written.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> SendCondition? {
        guard let text = decoder.text(of: node, expecting: "`none`, `etag` or a JSON Pointer, as `/etag`") else { return nil }
        return words.first { $0.0 == text }?.1 ?? decoder.pointer(text, of: node).map(SendCondition.pointer)
    }

    /// The word, or the pointer.
    public var written: String? {
        if case .pointer(let pointer) = self { pointer.description } else { Self.words.first { $0.1 == self }?.0 }
    }
}

/// The age at which a send fails: a duration, or `none`.
struct SendExpiry: FieldValue, Comparable {
    /// The age; nil for none.
    let limit: Duration?

    static let fieldType = TimeToLive.fieldType

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> SendExpiry? {
        TimeToLive.decode(node, with: decoder, forNone: "sends that never expire").map { SendExpiry(limit: $0.limit) }
    }

    static func < (left: SendExpiry, right: SendExpiry) -> Bool {
        guard let limit = left.limit else { return false }
        return right.limit.map { limit < $0 } ?? true
    }

    var written: String? { limit.map(TimeToLive.limited)?.written ?? TimeToLive.none.written }
}

extension SendRetry: FieldObject {
    /// `a retry of sends`
    public static var noun: String { "the retry of a send" }

    private static let standard = SendRetry()

    /// `base`, `max` and `attempts`.
    public static let fields = FieldGroup(
        Field(
            "base", default: standard.base, range: Duration.milliseconds(1)...,
            "The longest first pause; each pause is random. It doubles with each further try, up to `max`."),
        Field(
            "max", default: standard.max, range: Duration.milliseconds(1)..., "The longest random pause. `Retry-After` may ask for more."),
        Field(
            "attempts", default: standard.attempts, range: 1...1_000,
            "The tries after which a send fails that is itself at fault: its origin answers others meanwhile. An outage counts for nothing."
        )
    ) { base, max, attempts in
        SendRetry(base: base, max: max, attempts: attempts)
    }

    /// A first pause above the longest one is a contradiction; that of the default gives way.
    public static func check(_ value: SendRetry, _ members: [ConfigNode.Member], with decoder: FieldDecoder) {
        if value.base != standard.base { decoder.checkPauses(value.base, value.max, in: members) }
    }

    /// `{ base: 1s, max: 1m, attempts: 10 }`
    public var written: String? { "{ base: \(base.spelling), max: \(max.spelling), attempts: \(attempts) }" }
}

extension AnswerPlaces: FieldObject {
    /// `the places in an answer`
    public static var noun: String { "the places in an answer" }

    /// `item` and `id`.
    public static let fields = FieldGroup(
        Field("item", default: JSONPointer?.none, "Where the item stands in the answer's body.", example: "/friend"),
        Field(
            "id", default: JSONPointer?.none,
            "Where its id stands in the answer's body. By default, it is at the `id` of the change in the item, else the end of `Location`.",
            example: "/friend/id")
    ) { AnswerPlaces(item: $0, id: $1) }
}

/// A value of `id_header`: the name of a field, a mapping that says how, or `none`.
struct IDHeaderChoice: FieldValue {
    /// The field; nil if the id does not go out.
    let header: IDHeader?

    private static let word = "none"

    private static let form = FieldWord(
        "header name",
        matching: "^(?!(?:\((CoreSchema.coreBoolWords + CoreSchema.boolWords).joined(separator: "|")))$)\(HeaderFields.commonNamePattern)$")

    private static let fields = FieldGroup(
        Field<HeaderName>("name", "The name of the header field.", example: "Idempotency-Key"),
        Field("quoted", default: false, "Whether the id stands in quotes, as the draft of the field `Idempotency-Key` has it.")
    ) { IDHeaderChoice(header: IDHeader($0.text, quoted: $1)) }

    static var fieldType: FieldType { .either([.choice([word]), HeaderName.fieldType, .object(fields.declarations)]) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> IDHeaderChoice? {
        decoder.places.withTarget(of: node) { node in
            if case .mapping(let members) = node.content {
                return fields.decode(members, of: FieldOwner(description: "`\(decoder.fieldName)`", range: node.range), with: decoder)
            }
            if node.scalarText == word { return IDHeaderChoice(header: nil) }
            return HeaderName.decode(node, with: decoder).map { IDHeaderChoice(header: IDHeader($0.text)) }
        }
    }

    var written: String? {
        guard let header else { return Self.word }
        return header.isQuoted ? "{ name: \(header.name), quoted: true }" : header.name
    }

    /// The name of a header field that can be sent.
    private struct HeaderName: FieldValue {
        let text: String

        static var fieldType: FieldType { .word(form) }

        static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> HeaderName? {
            guard let text = decoder.text(of: node, expecting: "the name of a header field") else { return nil }
            if let isWanted = CoreSchema.bool(text) {
                decoder.report(
                    .notAllowed, "\(decoder.quoted(node)) is not allowed for `\(decoder.fieldName)`: expected the name of a header field",
                    at: node, help: "write `\(isWanted ? IDHeader().name : word)`")
                return nil
            }
            guard HeaderFields.isCommonName(text) else {
                decoder.report(
                    .malformed,
                    "\(decoder.quoted(node)) is not a header name: expected a letter, and then letters, digits and `-`", at: node)
                return nil
            }
            guard !HeaderFields.isFraming(text) else {
                decoder.report(.outOfRange, "`\(text)` cannot be set: it follows from the body", at: node)
                return nil
            }
            return HeaderName(text: text)
        }

        var written: String? { text }
    }
}

/// A text with parameters of a send in it, and where it names them.
struct SendTemplate: FieldValue {
    let text: SendText
    let uses: [ParameterUse]

    static var fieldType: FieldType { .template }

    /// A brace that does not enclose a name is text.
    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> SendTemplate? {
        // Uses that are noted are those of sources.
        let before = decoder.notes.takeParameterUses()
        defer { decoder.notes.parameterUses = before }
        guard let (template, text) = decoder.template(of: node, expecting: "text", isLenient: true) else { return nil }
        decoder.reportLookalikes(in: text, of: node)
        return SendTemplate(text: SendText(template), uses: decoder.notes.parameterUses)
    }

    var written: String? { nil }
}

extension SendText {
    /// The text of `template`. What came from a variable is text, whatever stands in it.
    fileprivate init(_ template: Template) {
        self.init(
            template.pieces.map { piece in
                switch piece {
                case .literal(let text): .text(text)
                case .parameter(let name): .parameter(name)
                }
            })
    }
}
