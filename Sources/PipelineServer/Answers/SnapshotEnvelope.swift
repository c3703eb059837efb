package import Pipeline
internal import PipelineJSON

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

    /// The line. `tiers` are those of the last load where that failed; a snapshot knows of no others, and of no writes.
    package var line: String {
        let (entry, status) = (snapshot.entry, snapshot.status)
        let facts = AnswerFacts(
            key: snapshot.key, outcome: outcome, source: status.source, isStale: status.isStale,
            age: entry.map { max(.zero, now.duration(since: $0.created)) },
            freshFor: status.isComplete
                ? entry?.freshUntil.map { status.isStale ? .zero : max(.zero, $0.duration(since: now)) } : entry.map { _ in .zero },
            payload: entry?.payload, format: format, attempts: status.error?.attempts, writes: [], error: status.error,
            made: isCombined ? (status.isComplete, status.parts, status.missing) : nil, attempted: status.attempted)
        let rest = [("revision", JSONText.number("\(snapshot.revision)")), ("live", Envelope.live(status.feeds))]
        return JSONText.object(facts.members(redactor) + rest).text
    }

    private var outcome: String {
        if snapshot.entry != nil { return "value" }
        if snapshot.isNotFound { return "not_found" }
        return snapshot.status.error == nil ? "loading" : "failed"
    }
}
