internal import Pipeline

/// The policies of tiers and pipelines in a few words, for drawings.
enum PolicyWords {
    /// What a tier says of itself, beyond the defaults.
    static func of(_ policy: TierPolicy) -> [String] {
        var words: [String] = []
        func add(_ name: String, _ duration: Duration?) {
            if let text = duration?.written { words.append("\(name) \(text)") }
        }
        add("ttl", policy.ttl.limit)
        if policy.jitter.value > 0 { words.append("jitter \(policy.jitter.value)") }
        add("debounce", policy.debounce)
        add("max_delay", policy.maxDelay)
        add("timeout", policy.timeout)
        add("soft_timeout", policy.softTimeout)
        if policy.onError == .fail { words.append("on_error fail") }
        if !policy.reads { words.append("not read") }
        if !policy.writes { words.append("not written") }
        if let retry = policy.retry { words.append("retry \(retry.attempts)×") }
        if let breaker = policy.circuitBreaker, breaker.failures > 0 {
            words.append("circuit breaker \(breaker.failures) failures, \(breaker.openFor.written ?? "")")
        }
        return words
    }

    /// What a pipeline says of itself, beyond the defaults.
    static func of(_ policy: PipelinePolicy) -> [String] {
        var words = [policy.format.rawValue]
        func add(_ name: String, _ duration: Duration?) {
            if let text = duration?.written { words.append("\(name) \(text)") }
        }
        add("deadline", policy.deadline)
        add("stale_while_revalidate", policy.staleWhileRevalidate)
        add("stale_if_error", policy.staleIfError)
        add("not_found_ttl", policy.notFoundTTL)
        if let ratio = policy.refreshAhead { words.append("refresh_ahead \(ratio.value)") }
        if policy.writeBack == WriteBackPolicy.none { words.append("no write-back") }
        return words
    }
}

extension PipelinePlan {
    /// `friends(user, page)`.
    var signature: String {
        parameters.isEmpty
            ? name : name + "(" + parameters.map { $0.name + ($0.defaultValue.map { " = \($0)" } ?? "") }.joined(separator: ", ") + ")"
    }
}

extension SourceConfig {
    /// `disk (file)`, or the name alone where it is that of its type.
    var title: String {
        guard let type, type != name else { return name }
        return "\(name) (\(type))"
    }
}
