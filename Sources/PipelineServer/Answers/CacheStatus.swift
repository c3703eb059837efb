internal import Pipeline
internal import PipelineConfig

/// The Cache-Status field (RFC 9211): what each tier did, from the one closest to the origin to the one closest to the client.
enum CacheStatus {
    /// A tier that is an origin has no copies: it forwards, and what came back is its `fwd-status`.
    ///
    /// A slow cache is written after the answer: it is said to have `stored` it when it took part without an error up to now. What came of
    /// a write that has ended, and wrote no payload, is a `detail`.
    static func value(of outcome: Outcome, origins: [String]) -> String {
        let written = Dictionary(outcome.writes.map { ($0.source, $0.outcome) }) { first, _ in first }
        return outcome.attempts.reversed().map { attempt in
            var member = quoted(attempt.source)
            switch attempt.outcome {
            case .hit where origins.contains(attempt.source): member += "; fwd=miss; fwd-status=200"
            case .hit: member += "; hit" + freshness(of: outcome, attempt)
            case .stale: member += "; hit" + freshness(of: outcome, attempt) + "; detail=stale"
            case .notFound where origins.contains(attempt.source): member += "; fwd=miss; fwd-status=404"
            case .notFound: member += "; hit; detail=not_found"
            case .miss: member += "; fwd=miss"
            case .expired: member += "; fwd=stale"
            case .invalid, .error, .timeout: member += "; fwd=miss; detail=\(attempt.outcome.rawValue)"
            case .skipped: member += "; fwd=bypass"
            }
            return member + storing(written[attempt.source], after: attempt.outcome)
        }.joined(separator: ", ")
    }

    private static func storing(_ write: WriteRecord.Outcome?, after attempt: Attempt.Outcome) -> String {
        switch write {
        case .written: "; stored"
        case .scheduled: [.error, .timeout].contains(attempt) ? "" : "; stored"
        case .renewed, .unchanged: "; detail=\(write?.rawValue ?? "")"
        case .failed, .skipped, nil: ""
        }
    }

    private static func freshness(of outcome: Outcome, _ attempt: Attempt) -> String {
        guard attempt.source == outcome.source, case .value(let entry) = outcome.result, let limit = entry.freshUntil else { return "" }
        return "; ttl=\(limit.duration(since: outcome.ended).components.seconds)"
    }

    /// A string of structured fields (RFC 9651, section 3.3.3): printable ASCII, anything else as `?`.
    private static func quoted(_ name: String) -> String {
        "\""
            + name.unicodeScalars.map { scalar in
                switch scalar {
                case "\"", "\\": "\\\(scalar)"
                case " "..."~": String(scalar)
                default: "?"
                }
            }.joined() + "\""
    }
}
