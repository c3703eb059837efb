package import Pipeline
package import PipelineJSON

/// A fetch as one line of JSON.
package struct Envelope {
    private let outcome: Outcome
    private let writes: [WriteRecord]
    private let format: PayloadFormat
    private let redactor: Redactor
    private let isCombined: Bool

    /// - Parameters:
    ///   - writes: those of the outcome, as they stand when this is printed.
    ///   - isCombined: whether the pipeline is made from others, or links are followed: then the envelope says what became of the parts.
    ///   - redactor: a parameter may have a secret for its default.
    package init(_ outcome: Outcome, writes: [WriteRecord], format: PayloadFormat, isCombined: Bool = false, redactor: Redactor) {
        self.outcome = outcome
        self.writes = writes
        self.format = format
        self.isCombined = isCombined
        self.redactor = redactor
    }

    package var line: String {
        let facts = AnswerFacts(
            key: outcome.key, outcome: outcomeWord, source: outcome.source, isStale: outcome.isStale, age: outcome.age,
            freshFor: outcome.freshFor, payload: payload, format: format, attempts: outcome.attempts, writes: writes, error: outcome.error,
            made: isCombined ? (outcome.isComplete, outcome.parts, outcome.missing) : nil, attempted: outcome.attemptedParts)
        return JSONText.object(facts.members(redactor)).text
    }

    private var outcomeWord: String {
        switch outcome.result {
        case .value: "value"
        case .notFound: "not_found"
        case .failed: "failed"
        }
    }

    private var payload: [UInt8]? {
        if case .value(let entry) = outcome.result { entry.payload } else { nil }
    }

    static func parameters(of key: Key, _ redactor: Redactor) -> JSONText {
        .object(key.parameters.map { ($0.name, .string(redactor.redacted($0.value))) })
    }

    /// The member with the value, named for how it is written.
    package static func value(_ payload: [UInt8]?, format: PayloadFormat) -> (String, JSONText) {
        switch format {
        case .json: ("value", payload.map { .raw(JSONScanner.compacted($0)) } ?? .null)
        case .text: ("value_text", payload.map { .string(String(decoding: $0, as: UTF8.self)) } ?? .null)
        case .bytes: ("value_base64", payload.map { .string(Base64.encoded($0)) } ?? .null)
        }
    }

    /// Why a load failed.
    static func error(_ error: LoadError, _ redactor: Redactor) -> JSONText {
        .object([("code", .string(error.kind.rawValue)), ("message", .string(redactor.redacted(error.description)))])
    }

    /// The attempts, also as `serve` shows them when every tier failed.
    ///
    /// - Parameter parts: what became of the parts of a composite that was asked and is not the answer; nil where there is none.
    static func tiers(of attempts: some Sequence<Attempt>, parts: JSONText? = nil) -> JSONText {
        .array(
            attempts.map { attempt in
                var members: [(String, JSONText)] = [
                    ("source", .string(attempt.source)), ("outcome", .string(attempt.outcome.rawValue)),
                    ("ms", .milliseconds(attempt.duration.milliseconds)),
                ]
                if let reason = attempt.reason { members.append(("reason", .string(reason))) }
                if let detail = attempt.detail { members.append(("detail", .string(detail))) }
                if let parts, attempt.source == CompositeSpec.placeName { members.append(("parts", parts)) }
                return .object(members)
            })
    }

    /// The feeds of a value: the member `live`. Those of parts have the `pipeline` of the part.
    package static func live(_ feeds: [FeedStatus]) -> JSONText {
        .array(
            feeds.map { feed in
                var members: [(String, JSONText)] = [("source", .string(feed.source))]
                if let pipeline = feed.pipeline { members.append(("pipeline", .string(pipeline))) }
                members.append(("state", .string(feed.state.rawValue)))
                if let reason = feed.reason { members.append(("reason", .string(reason))) }
                if let pause = feed.pause { members.append(("retry_ms", .int(Int(pause.milliseconds)))) }
                return .object(members)
            })
    }

    static func write(_ record: WriteRecord) -> JSONText {
        var members: [(String, JSONText)] = [
            ("source", .string(record.source)), ("outcome", .string(record.outcome.rawValue)),
        ]
        if let reason = record.reason { members.append(("reason", .string(reason))) }
        return .object(members)
    }
}
