/// The configuration for some cases: for each a pipeline `[memory, api]` of the case's name, and its own origin.
struct SuiteFile {
    /// The part of one case.
    struct Part {
        let name: String
        /// The URL of its origin.
        let origin: String
        /// The statuses whose answers are values, beside those of success.
        let accepted: [Int]
        /// Whether the pipeline serves expired values by itself when the origin fails: what forbids that shows only where it would be done.
        let servesStale: Bool
        /// The header fields that its origin is sent.
        let upstream: [SuiteField]
    }

    let mode: SuiteMode
    let parts: [Part]

    var text: String {
        """
        sources:
          memory: { type: memory }
        \(parts.map(source).joined(separator: "\n"))
        pipelines:
        \(parts.map(pipeline).joined(separator: "\n"))

        """
    }

    private func source(_ part: Part) -> String {
        // Fields of one name are one list.
        let names = part.upstream.reduce(into: [String]()) { if !$0.contains($1.name) { $0.append($1.name) } }
        let fields = names.map { name in
            let values = part.upstream.filter { $0.name == name }.map { $0.written(at: 0).trimmed }
            return "\(name): '\(values.joined(separator: ", "))'"
        }
        let statuses = (["2xx"] + part.accepted.map { "\($0)" }).joined(separator: ", ")
        return """
              api-\(part.name):
                type: http
                url: "\(part.origin)?{query}"
                caching: \(mode.rawValue)
                default_freshness: heuristic
                follow_redirects: 0
                accept_status: [\(statuses)]
                headers: { \(fields.joined(separator: ", ")) }
            """
    }

    private func pipeline(_ part: Part) -> String {
        """
          \(part.name):
            parameters: { query: { default: none } }
            format: bytes\(part.servesStale ? "\n    stale_if_error: 60s" : "")
            tiers: [ { source: memory, ttl: none }, api-\(part.name) ]
        """
    }
}

extension String {
    /// Without the blanks around it, as fields are sent.
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
