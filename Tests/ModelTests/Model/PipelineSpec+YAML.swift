import Pipeline

extension PipelineSpec {
    /// The configuration as a user would write it.
    var yaml: String {
        var lines = ["sources:"]
        for tier in tiers.indices { lines.append("  \(name(tier)): { type: \(type(tier)) }") }
        lines += ["pipelines:", "  p:", "    parameters: [id]"]
        if let staleWhileRevalidate { lines.append("    stale_while_revalidate: \(staleWhileRevalidate)ms") }
        if let staleIfError { lines.append("    stale_if_error: \(staleIfError)ms") }
        if let notFoundTTL { lines.append("    not_found_ttl: \(notFoundTTL)ms") }
        if let refreshAhead { lines.append("    refresh_ahead: \(refreshAhead)%") }
        if let deadline { lines.append("    deadline: \(deadline)ms") }
        switch writeBack {
        case .auto: break
        case .none: lines.append("    write_back: none")
        case .routes(let routes):
            let written = routes.sorted { $0.key < $1.key }
                .map { "\(name($0.key)): [\($0.value.map(name).joined(separator: ", "))]" }
            lines.append("    write_back: { \(written.joined(separator: ", ")) }")
        }
        lines.append("    tiers:")
        for tier in tiers.indices { lines.append("      - { \(fields(tier).joined(separator: ", ")) }") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The name of the plugin of a tier's source: one each, since each makes another source.
    func type(_ tier: Int) -> String { "stub_\(name(tier))" }

    private func fields(_ index: Int) -> [String] {
        let tier = tiers[index]
        var fields = ["source: \(name(index))"]
        if let ttl = tier.ttl { fields.append("ttl: \(ttl)ms") }
        if let debounce = tier.debounce { fields.append("debounce: \(debounce)ms") }
        if let maxDelay = tier.maxDelay { fields.append("max_delay: \(maxDelay)ms") }
        if let timeout = tier.timeout { fields.append("timeout: \(timeout)ms") }
        if let softTimeout = tier.softTimeout { fields.append("soft_timeout: \(softTimeout)ms") }
        if tier.failsFinally { fields.append("on_error: fail") }
        if tier.onNotFound != .stop { fields.append("on_not_found: \(tier.onNotFound.rawValue)") }
        if tier.isLastResort { fields.append("last_resort: true") }
        if !tier.reads { fields.append("read: false") }
        if !tier.writes { fields.append("write: false") }
        if let retry = tier.retry {
            fields.append("retry: { attempts: \(retry.attempts), base: \(retry.base)ms, max: \(retry.max)ms }")
        }
        if let breaker = tier.breaker {
            fields.append("circuit_breaker: { failures: \(breaker.failures), open_for: \(breaker.openFor)ms }")
        }
        return fields
    }
}
