package import Pipeline
internal import PipelineJSON

/// A snapshot as one line of JSON: the members of an ``Envelope``, then `revision` and `live`.
package struct SnapshotEnvelope {
    private let snapshot: Snapshot
    private let format: PayloadFormat
    private let redactor: Redactor
    private let now: Timestamp

    /// - Parameters:
    ///   - now: when it is printed, for the age.
    ///   - redactor: a parameter may have a secret for its default.
    package init(_ snapshot: Snapshot, at now: Timestamp, format: PayloadFormat, redactor: Redactor) {
        self.snapshot = snapshot
        self.now = now
        self.format = format
        self.redactor = redactor
    }

    /// The line. `tiers` are those of the last load where that failed; a snapshot knows of no others, and of no writes.
    package var line: String {
        let entry = snapshot.entry
        let freshFor = entry?.freshUntil.map { snapshot.status.isStale ? .zero : max(.zero, $0.duration(since: now)) }
        return JSONText.object([
            ("pipeline", .string(snapshot.key.pipeline)),
            ("parameters", Envelope.parameters(of: snapshot.key, redactor)),
            ("outcome", .string(outcome)),
            ("from", .optional(entry?.source)),
            ("stale", .bool(snapshot.status.isStale)),
            ("age_ms", entry.map { .int(Int(max(.zero, now.duration(since: $0.created)).milliseconds)) } ?? .null),
            ("fresh_for_ms", freshFor.map { .int(Int($0.milliseconds)) } ?? .null),
            Envelope.value(entry?.payload, format: format),
            ("tiers", snapshot.status.error.map { Envelope.tiers(of: $0.attempts) } ?? .array([])),
            ("writes", .array([])),
            ("error", snapshot.status.error.map { Envelope.error($0, redactor) } ?? .null),
            ("revision", .number("\(snapshot.revision)")),
            ("live", Envelope.live(snapshot.status.feeds)),
        ]).text
    }

    private var outcome: String {
        if snapshot.entry != nil { return "value" }
        if snapshot.isNotFound { return "not_found" }
        return snapshot.status.error == nil ? "loading" : "failed"
    }
}
