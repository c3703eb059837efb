package import Pipeline
import PipelineComposing
package import PipelineJSON
package import PipelineLive
import PipelineSending

/// A fetch as one line of JSON.
package struct Envelope {
    private let outcome: Outcome
    private let writes: [WriteRecord]
    private let format: PayloadFormat
    private let redactor: Redactor
    private let isCombined: Bool

    /// - Parameters:
    ///   - writes: the writes of the outcome, as they stand when this is printed.
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
            made: isCombined ? (outcome.isComplete, outcome.parts, outcome.missing) : nil, attempted: outcome.attemptedParts,
            sends: outcome.sends)
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

    /// The reason why a load failed, as JSON.
    static func error(_ error: LoadError, _ redactor: Redactor) -> JSONText {
        .object([("code", .string(error.kind.rawValue)), ("message", .string(redactor.redacted(error.description)))])
    }

    /// The attempts, also as `serve` shows them when every tier failed.
    ///
    /// - Parameter parts: the outcomes of the parts of a composite that was asked and is not the answer; nil if there is none.
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

    /// The sends that are laid over a value: the member `sends`.
    static func sends(_ sends: [LaidSend]) -> JSONText {
        .array(sends.map { .object([("id", .string($0.id)), ("send", .string($0.send)), ("state", .string($0.state.rawValue))]) })
    }

    static func write(_ record: WriteRecord) -> JSONText {
        var members: [(String, JSONText)] = [
            ("source", .string(record.source)), ("outcome", .string(record.outcome.rawValue)),
        ]
        if let reason = record.reason { members.append(("reason", .string(reason))) }
        return .object(members)
    }
}

extension Envelope {
    /// The members `complete`, `parts` and `missing` of a value that was made from others. Without a value there is nothing to be complete.
    ///
    /// - Parameter isComplete: nil without a value.
    static func combination(
        isComplete: Bool?, _ parts: [PartOutcome], missing: [MissingTarget], _ redactor: Redactor
    ) -> [(String, JSONText)] {
        [
            ("complete", isComplete.map(JSONText.bool) ?? .null),
            ("parts", self.parts(parts, redactor)),
            ("missing", .array(missing.map { Self.missing($0, redactor) })),
        ]
    }

    /// The parts that have no value, also as `serve` shows them when the composite failed.
    static func parts(_ parts: [PartOutcome], _ redactor: Redactor) -> JSONText {
        .array(parts.filter(\.isToldOf).map { part($0, redactor) })
    }

    /// The parts that have no value, of a composite that is not the answer; nil without any.
    static func attempted(_ parts: [PartOutcome], _ redactor: Redactor) -> JSONText? {
        parts.isEmpty ? nil : self.parts(parts, redactor)
    }

    private static func part(_ part: PartOutcome, _ redactor: Redactor) -> JSONText {
        .object([
            ("at", .string(part.at)),
            ("pipeline", .string(part.pipeline)),
            ("parameters", part.key.map { parameters(of: $0, redactor) } ?? .null),
            ("outcome", .string(part.ending.rawValue)),
            ("used", part.usesDefault ? .string("default") : .null),
            ("from", .optional(part.outcome?.source)),
            ("tiers", part.outcome.map { tiers(of: $0.attempts, parts: attempted($0.attemptedParts, redactor)) } ?? .array([])),
            ("error", part.problem.map { problem($0, redactor) } ?? .null),
        ])
    }

    private static func problem(_ problem: PartOutcome.Problem, _ redactor: Redactor) -> JSONText {
        .object([("code", .string(problem.code)), ("message", .string(redactor.redacted(problem.message)))])
    }

    private static func missing(_ target: MissingTarget, _ redactor: Redactor) -> JSONText {
        .object([("at", .string(target.at)), ("pipeline", .string(target.pipeline)), ("id", .string(redactor.redacted(target.id)))])
    }
}

/// The facts of an answer that envelopes give, whether it is a fetch or a snapshot.
struct AnswerFacts {
    let key: Key
    /// `value`, `not_found`, `failed` or `loading`.
    let outcome: String
    let source: String?
    let isStale: Bool
    let age: Duration?
    let freshFor: Duration?
    let payload: [UInt8]?
    let format: PayloadFormat
    let attempts: [Attempt]?
    let writes: [WriteRecord]
    let error: LoadError?
    /// The outcomes of the parts; nil for a value that is not made from others.
    let made: (isComplete: Bool, parts: [PartOutcome], missing: [MissingTarget])?
    /// The outcomes of the parts of a composite that is not the answer.
    var attempted: [PartOutcome] = []
    /// The sends that are laid over the value.
    var sends: [LaidSend] = []

    /// The members in their order, those of parts last. `sends` is there if any is laid over the value.
    ///
    /// - Parameter redactor: a parameter may have a secret for its default.
    func members(_ redactor: Redactor) -> [(String, JSONText)] {
        var members: [(String, JSONText)] = [
            ("pipeline", .string(key.pipeline)),
            ("parameters", Envelope.parameters(of: key, redactor)),
            ("outcome", .string(outcome)),
            ("from", .optional(source)),
            ("stale", .bool(isStale)),
            ("age_ms", age.map { .int(Int($0.milliseconds)) } ?? .null),
            ("fresh_for_ms", freshFor.map { .int(Int($0.milliseconds)) } ?? .null),
            Envelope.value(payload, format: format),
            ("tiers", attempts.map { Envelope.tiers(of: $0, parts: Envelope.attempted(attempted, redactor)) } ?? .array([])),
            ("writes", .array(writes.map(Envelope.write))),
            ("error", error.map { Envelope.error($0, redactor) } ?? .null),
        ]
        if !sends.isEmpty { members.append(("sends", Envelope.sends(sends))) }
        guard let made else { return members }
        // Without a value there is nothing to be complete.
        let isComplete = outcome == "value" ? made.isComplete : nil
        return members + Envelope.combination(isComplete: isComplete, made.parts, missing: made.missing, redactor)
    }
}

/// A snapshot as one line of JSON: the members of an ``Envelope``, then `revision` and `live`.
package struct SnapshotEnvelope {
    private let snapshot: Snapshot
    private let format: PayloadFormat
    private let redactor: Redactor
    private let now: Timestamp
    private let isCombined: Bool

    /// - Parameters:
    ///   - now: when it is printed, for the age.
    ///   - isCombined: whether the pipeline is made from others: then the envelope says what became of the parts.
    ///   - redactor: a parameter may have a secret for its default.
    package init(_ snapshot: Snapshot, at now: Timestamp, format: PayloadFormat, isCombined: Bool = false, redactor: Redactor) {
        self.snapshot = snapshot
        self.now = now
        self.format = format
        self.redactor = redactor
        self.isCombined = isCombined
    }

    /// The line. `tiers` are the tiers of the last load if that failed; a snapshot knows of no others, and of no writes.
    package var line: String {
        let (entry, status) = (snapshot.entry, snapshot.status)
        let facts = AnswerFacts(
            key: snapshot.key, outcome: outcome, source: status.source, isStale: status.isStale,
            age: entry.map { max(.zero, now.duration(since: $0.created)) },
            freshFor: status.isComplete
                ? entry?.freshUntil.map { status.isStale ? .zero : max(.zero, $0.duration(since: now)) } : entry.map { _ in .zero },
            payload: entry?.payload, format: format, attempts: status.error?.attempts, writes: [], error: status.error,
            made: isCombined ? (status.isComplete, status.parts, status.missing) : nil, attempted: status.attempted, sends: status.sends)
        let rest = [("revision", JSONText.number("\(snapshot.revision)")), ("live", Envelope.live(status.feeds))]
        return JSONText.object(facts.members(redactor) + rest).text
    }

    private var outcome: String {
        if snapshot.entry != nil { return "value" }
        if snapshot.isNotFound { return "not_found" }
        return snapshot.status.error == nil ? "loading" : "failed"
    }
}

/// The changes of a value, as lines of JSON: `{"revision":7,"op":"update","id":"2","item":{…},"old":{…}}`.
package enum ChangeLine {
    /// A line for each change; none for a snapshot whose value is the one before.
    package static func lines(of snapshot: Snapshot, format: PayloadFormat) -> [String] {
        let revision = ("revision", JSONText.number("\(snapshot.revision)"))
        if snapshot.changes.isReset {
            return [line([revision, ("op", .string("reset")), Envelope.value(snapshot.entry?.payload, format: format)])]
        }
        return snapshot.changes.changes.map { line([revision] + members(of: $0)) }
    }

    private static func members(of change: ListChanges.Change) -> [(String, JSONText)] {
        let (word, at): (String, JSONText?) =
            switch change.operation {
            case .insert(let index): ("insert", .int(index))
            case .update: ("update", nil)
            case .delete: ("delete", nil)
            }
        let parts = [("at", at), ("item", change.item.map(json)), ("old", change.old.map(json))]
        return [("op", .string(word)), ("id", .string(change.id))] + parts.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func json(_ element: [UInt8]) -> JSONText { .raw(JSONScanner.compacted(element)) }

    private static func line(_ members: [(String, JSONText)]) -> String { JSONText.object(members).text }
}
