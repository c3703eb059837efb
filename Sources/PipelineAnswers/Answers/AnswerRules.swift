package import Pipeline
package import PipelineJSON

/// A rule of `answers`: what an answer is treated as that fits a condition.
package struct AnswerRule: Sendable {
    package var when: AnswerCondition
    /// The status that the answer counts as; nil for its own. 206 is that of a value that lacks something.
    package var status: Int?
    /// The place of the seconds after which the server may be asked again.
    package var wait: JSONPointer?
    /// The place of the reason, for people.
    package var message: JSONPointer?

    package init(when: AnswerCondition, status: Int? = nil, wait: JSONPointer? = nil, message: JSONPointer? = nil) {
        (self.when, self.status, self.wait, self.message) = (when, status, wait, message)
    }
}

/// The rules of `answers`, of which the first that fits decides.
package struct AnswerRules: Sendable {
    /// The treatment of an answer.
    package struct Judgement: Sendable {
        /// The number of the rule that fits, from 0; nil if none does.
        package let rule: Int?
        /// The status that the answer counts as, in everything.
        package let status: Int
        /// The time after which the server may be asked again, as if `Retry-After` said so; nil if the rule names none, or none can be read.
        package let wait: Duration?
        /// The words of the answer about itself: one line of at most 1 KiB, in which secrets are not masked yet. Nil if it has none.
        package let message: String?
    }

    /// The most rules of a source.
    package static let most = 32
    /// The most of a pause that is believed.
    static let longestWait = Duration.seconds(3_600)

    private let rules: [AnswerRule]
    /// The places of all rules, so that one pass over an answer finds them.
    private let paths: [JSONPath]

    package init(_ rules: [AnswerRule] = []) {
        self.rules = rules
        paths = rules.flatMap { $0.when.pointers + [$0.wait, $0.message].compactMap(\.self) }.map { JSONPath($0) }
    }

    /// Decides the treatment of an answer; it keeps its own status where no rule fits.
    ///
    /// Throws where a name on the way to a place of a rule occurs twice. The message of an answer that no rule gives one is that of
    /// `application/problem+json` (RFC 9457).
    package func judge(_ answer: Answer) throws(SourceError) -> Judgement {
        var rest = try answer.places(of: paths)[...]
        for (number, rule) in rules.enumerated() {
            let count = rule.when.pointers.count
            let fits = rule.when.fits(answer, rest.prefix(count))
            rest = rest.dropFirst(count)
            let wait = rule.wait == nil ? nil : rest.popFirst() ?? nil
            let message = rule.message == nil ? nil : rest.popFirst() ?? nil
            guard fits else { continue }
            return Judgement(
                rule: number, status: rule.status ?? answer.status, wait: wait.flatMap { Self.wait(answer.body, at: $0) },
                message: message.flatMap { Self.text(answer.body, at: $0) } ?? Self.problemMessage(of: answer))
        }
        return Judgement(rule: nil, status: answer.status, wait: nil, message: Self.problemMessage(of: answer))
    }

    private static func wait(_ body: [UInt8], at place: Range<Int>) -> Duration? {
        guard let seconds = JSONScalar.reference(body, at: place).flatMap(WrittenNumber.value), seconds > 0 else { return nil }
        return min(.seconds(min(seconds, 1e6)), longestWait)
    }

    /// The words at `place`: those of a scalar, or the JSON of another value.
    private static func text(_ body: [UInt8], at place: Range<Int>) -> String? {
        switch JSONScalar(body, at: place) {
        case .null: nil
        case let scalar?: scalar.text.asMessage
        case nil: String(decoding: body[place], as: UTF8.self).asMessage
        }
    }

    private static func problemMessage(of answer: Answer) -> String? {
        guard answer.headers.mediaType == "application/problem+json",
            let places = try? answer.places(of: [JSONPointer(tokens: ["title"]), JSONPointer(tokens: ["detail"])])
        else { return nil }
        let texts = places.compactMap { place in
            place.flatMap { answer.body[$0].first == UInt8(ascii: "\"") ? JSONScalar.string(answer.body, at: $0) : nil }
        }
        return texts.filter { !$0.isEmpty }.joined(separator: ": ").asMessage
    }
}

/// Numbers as servers write them in fields and texts: in the spelling of JSON.
enum WrittenNumber {
    /// The number; nil for any other text, and for one of more than 400 digits.
    static func value(_ text: String) -> Double? {
        text.utf8.count <= 400 && JSONNumber(text) != nil ? Double(text) : nil
    }
}
