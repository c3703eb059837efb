package import PipelineConfig

/// The answer of an origin to one call.
package struct OriginAnswer: Sendable {
    package enum Content: Sendable {
        case payload([UInt8])
        /// The bytes of the file at this path, relative to the test file.
        case file(Placed<String>)
        /// A failure with this reason.
        case error(String)
        case notFound
        case invalid
        /// No answer until the call is cancelled.
        case hangs
    }

    package let content: Content
    /// The time the answer takes.
    package var takes = Duration.zero
    /// The time for which it is fresh by what the origin says; nil if it says nothing.
    package var freshFor: Duration?
    package var etag: String?
    /// Indicates whether it is lost on the way, after the origin has done what was asked.
    package var isLost = false
    /// The time for which the origin does not want to be asked again; nil if it says nothing.
    package var retryAfter: Duration?
    /// The place where it is written.
    package let range: TextRange
}

extension OriginAnswer {
    /// Indicates whether it never comes.
    var hangs: Bool { if case .hangs = content { true } else { false } }

    /// The reason of an error by which a connection is lost, so that a send was perhaps made.
    static let reset = "reset"

    /// The status of HTTP in the reason of an error, as `status 404`; nil for another reason.
    static func status(in reason: String) -> Int? {
        let words = reason.split(separator: " ")
        return words.first == "status" && words.count > 1 ? Int(words[1]) : nil
    }
}

extension OriginAnswer: FieldValue {
    /// The words that are no payloads when they are written without quotes.
    static let words = ["error", "not_found", "invalid", "hangs"]

    package static var fieldType: FieldType { .either([.string, AnswerFields.fieldType]) }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> OriginAnswer? {
        decoder.places.withTarget(of: node) { node in
            if case .mapping = node.content {
                return AnswerFields.decode(node, with: decoder).flatMap { $0.answer(at: node, with: decoder) }
            }
            return ScenarioText.decode(node, with: decoder).map { OriginAnswer(content: content(of: $0), range: node.range) }
        }
    }

    private static func content(of text: ScenarioText) -> Content {
        guard text.isPlain else { return .payload(text.bytes) }
        return switch text.text {
        case "error": .error("error")
        case "not_found": .notFound
        case "invalid": .invalid
        case "hangs": .hangs
        default: .payload(text.bytes)
        }
    }

    package var written: String? { nil }
}

/// The fields of an answer that is written as a mapping.
struct AnswerFields: FieldObject {
    let payload: ScenarioText?
    let json: JSONValue?
    let file: Placed<String>?
    let error: ScenarioText?
    let notFound: Bool
    let invalid: Bool
    let hangs: Bool
    let takes: Duration?
    let freshFor: Duration?
    let etag: String?
    let isLost: Bool
    let retryAfter: Duration?

    static let noun = "an answer"

    static let fields = FieldGroup(
        Field("is", default: ScenarioText?.none, "The payload, as text."),
        Field("json", default: JSONValue?.none, "The payload, as JSON that is written in YAML."),
        Field("file", default: Placed<String>?.none, "A file with the payload, relative to the test file."),
        Field(
            "error", default: ScenarioText?.none,
            "Fails for this reason. `status 404` rejects the request, `status 500` is a failure. A send was perhaps made after `reset` and `status 500`; with a reason without a status the origin is not reached."
        ),
        Field("not_found", default: false, "Says that there is no value."),
        Field("invalid", default: false, "Gives a payload that cannot be used."),
        Field("hangs", default: false, "Gives no answer."),
        Field("takes", default: Duration?.none, "How long the answer takes."),
        Field("fresh_for", default: Duration?.none, "How long the answer is fresh by what the origin says."),
        Field("etag", default: String?.none, "The entity tag of the payload, by which the origin confirms a copy."),
        Field("lost", default: false, "Whether the answer to a send is lost on the way: the origin has made the change."),
        Field("retry_after", default: Duration?.none, "How long the origin does not want to be sent to again.")
    ) { payload, json, file, error, notFound, invalid, hangs, takes, freshFor, etag, isLost, retryAfter in
        AnswerFields(
            payload: payload, json: json, file: file, error: error, notFound: notFound, invalid: invalid, hangs: hangs, takes: takes,
            freshFor: freshFor, etag: etag, isLost: isLost, retryAfter: retryAfter)
    }

    /// The contents that an answer can have, of which it has one.
    static let contents = payloads + ["error", "not_found", "invalid", "hangs"]
    private static let payloads = ["is", "json", "file"]

    func answer(at node: ConfigNode, with decoder: FieldDecoder) -> OriginAnswer? {
        let given = node.members.filter { Self.contents.contains($0.key) }
        if given.count > 1 {
            decoder.report(
                .notAllowed, "`\(given[1].key)` is not allowed beside `\(given[0].key)`: an answer is one of both",
                range: given[1].keyRange, help: "remove one of the two")
            return nil
        }
        guard let content else {
            decoder.report(
                .missingField, "an answer needs one of \(Self.contents.map { "`\($0)`" }.joined(separator: ", "))", at: node,
                help: "add `is: '…'`, or `error: status 500`")
            return nil
        }
        if isLost, let other = given.first, !Self.payloads.contains(other.key) {
            decoder.report(
                .notAllowed, "`lost` is not allowed beside `\(other.key)`: only an answer can be lost", range: other.keyRange,
                help: "write `{ is: '…', lost: true }`, or `{ error: \(OriginAnswer.reset) }`")
            return nil
        }
        return OriginAnswer(
            content: content, takes: takes ?? .zero, freshFor: freshFor, etag: etag, isLost: isLost, retryAfter: retryAfter,
            range: node.range)
    }

    private var content: OriginAnswer.Content? {
        if let payload { return .payload(payload.bytes) }
        if let json { return .payload(Array(json.text.utf8)) }
        if let file { return .file(file) }
        if let error { return .error(error.isPlain && error.text == "true" ? "error" : error.text) }
        if notFound { return .notFound }
        if invalid { return .invalid }
        return hangs ? .hangs : nil
    }
}

/// The answers of an origin: one for all calls, or a list that is the most there are.
package struct AnswerList: Sendable {
    package let answers: [OriginAnswer]
    /// The answer to every call after those; nil if a further call fails the test.
    package let always: OriginAnswer?
    package let range: TextRange

    /// Every answer that may be given.
    var all: [OriginAnswer] { answers + [always].compactMap(\.self) }

    /// The answer to the call of this number, from 0.
    func answer(to call: Int) -> OriginAnswer? { call < answers.count ? answers[call] : always }
}

extension AnswerList: FieldValue {
    package static var fieldType: FieldType {
        .either([OriginAnswer.fieldType, .list(.either([OriginAnswer.fieldType, AlwaysFields.fieldType]), atLeast: 1)])
    }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> AnswerList? {
        decoder.places.withTarget(of: node) { node in
            guard case .sequence(let elements) = node.content else {
                return OriginAnswer.decode(node, with: decoder).map { AnswerList(answers: [], always: $0, range: node.range) }
            }
            var (answers, always): ([OriginAnswer], OriginAnswer?) = ([], nil)
            for (index, element) in elements.enumerated() {
                if element.target.members.contains(where: { $0.key == "always" }) {
                    guard let last = AlwaysFields.decode(element, with: decoder) else { return nil }
                    always = last.always
                    if index < elements.count - 1 {
                        decoder.report(
                            .notAllowed, "answers after `always` are never given", at: elements[index + 1], help: "put `always` last")
                        return nil
                    }
                } else if let answer = OriginAnswer.decode(element, with: decoder) {
                    answers.append(answer)
                }
            }
            return AnswerList(answers: answers, always: always, range: node.range)
        }
    }

    package var written: String? { nil }
}

/// `always: ANSWER`, the last element of a list of answers.
private struct AlwaysFields: FieldObject {
    let always: OriginAnswer

    static let noun = "an answer"

    static let fields = FieldGroup(Field<OriginAnswer>("always", "The answer to every further call.")) { AlwaysFields(always: $0) }
}
