internal import Pipeline
internal import PipelineConfig

/// The Cache-Status field (RFC 9211): what each tier did, from the one closest to the origin to the one closest to the client.
enum CacheStatus {
    /// A tier that is an origin has no copies: it forwards, and the status of its response is its `fwd-status`.
    ///
    /// Only a cache whose write has ended is said to have `stored` the answer. A slow cache is written after it: `detail=scheduled`. A
    /// write that has ended, and wrote no payload, is a `detail`, too; a member has one, and the detail of the read counts more.
    static func value(of outcome: Outcome, origins: [String]) -> String {
        let written = Dictionary(outcome.writes.map { ($0.source, $0.outcome) }) { first, _ in first }
        return outcome.attempts.reversed().map { attempt in
            var member = quoted(attempt.source)
            switch attempt.outcome {
            // What the origin said, whatever the client is told (RFC 9211, section 2.3).
            case .hit where origins.contains(attempt.source):
                member += attempt.isConfirmation ? "; fwd=stale; fwd-status=304" : "; fwd=miss; fwd-status=\(status(of: outcome) ?? 200)"
            case .hit: member += "; hit" + freshness(of: outcome, attempt)
            case .stale: member += "; hit" + freshness(of: outcome, attempt) + "; detail=stale"
            case .notFound where origins.contains(attempt.source): member += "; fwd=miss; fwd-status=\(status(of: outcome) ?? 404)"
            case .notFound: member += "; hit" + freshness(of: outcome, attempt) + "; detail=not_found"
            case .miss: member += "; fwd=miss"
            case .expired: member += "; fwd=stale"
            case .invalid, .error, .timeout: member += "; fwd=miss; detail=\(attempt.outcome.rawValue)"
            case .skipped: member += "; fwd=bypass"
            }
            return member + storing(written[attempt.source], hasDetail: member.contains("; detail="))
        }.joined(separator: ", ")
    }

    /// The status of the origin's response, if it is not usual. One answers a fetch at most.
    private static func status(of outcome: Outcome) -> Int? { outcome.answer?.status }

    private static func storing(_ write: WriteRecord.Outcome?, hasDetail: Bool) -> String {
        switch write {
        case .written: "; stored"
        case .scheduled?, .renewed?, .unchanged?: hasDetail ? "" : "; detail=\(write?.rawValue ?? "")"
        case .failed, .skipped, nil: ""
        }
    }

    private static func freshness(of outcome: Outcome, _ attempt: Attempt) -> String {
        guard attempt.source == outcome.source, let limit = outcome.answer?.freshUntil else { return "" }
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
