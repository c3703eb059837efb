internal import Pipeline

/// One policy of a tier or a pipeline, beyond the defaults: its field, and what holds.
struct GraphPolicy: Hashable {
    /// The field of the file.
    let name: String
    /// The value as it would be written; nil for one that a change removes.
    var value: String?
    /// The value before a change; nil for one that it adds.
    var former: String?
    /// What a change does to it.
    var change: GraphChange?

    init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }

    /// `ttl 30s`, and of a change `ttl 30s → 1m`.
    var words: String {
        switch change {
        case .added: "+ \(Self.words(name, value))"
        case .removed: "- \(Self.words(name, former))"
        case .moved, .changed: "\(Self.words(name, former)) → \(name.hasPrefix(SourceFields.prefix) ? value?.shortened ?? "" : value ?? "")"
        case nil: Self.words(name, value)
        }
    }

    private static func words(_ name: String, _ value: String?) -> String {
        switch (name, value) {
        case ("read", "false"): "not read"
        case ("write", "false"): "not written"
        case ("last_resort", "true"): "last resort"
        case ("write_back", "none"): "no write-back"
        case ("format", let value?): value
        case (let name, let value) where name.hasPrefix(SourceFields.prefix):
            "\(name.dropFirst(SourceFields.prefix.count)) of the source \(value?.shortened ?? "")"
        default: "\(name.replacingUnderscore) \(value ?? "")"
        }
    }
}

extension GraphPolicy {
    /// What holds for a tier, beyond the defaults.
    static func of(_ policy: TierPolicy, isLastResort: Bool) -> [GraphPolicy] {
        let breaker = policy.circuitBreaker.flatMap { $0.failures > 0 ? $0 : nil }
        let values: [(String, String?)] = [
            ("ttl", policy.ttl.limit?.written),
            ("jitter", policy.jitter.value > 0 ? policy.jitter.written : nil),
            ("debounce", policy.debounce?.written),
            ("max_delay", policy.maxDelay == policy.debounce.map(TierPolicy.defaultMaxDelay) ? nil : policy.maxDelay?.written),
            ("timeout", policy.timeout == TierPolicy.defaultTimeout ? nil : policy.timeout?.written),
            ("soft_timeout", policy.softTimeout?.written),
            ("on_error", policy.onError == .fail ? "fail" : nil),
            ("on_not_found", policy.onNotFound == .stop ? nil : policy.onNotFound.rawValue),
            ("last_resort", isLastResort ? "true" : nil),
            ("read", policy.reads ? nil : "false"),
            ("write", policy.writes ? nil : "false"),
            ("retry", policy.retry.map { "\($0.attempts)×, \($0.base.written ?? "") to \($0.max.written ?? "")" }),
            ("circuit_breaker", breaker.map { "\($0.failures) failures, \($0.openFor.written ?? "")" }),
        ]
        return values.compactMap { name, value in value.map { GraphPolicy(name, $0) } }
    }

    /// What a pipeline says of itself, beyond the defaults; its format in any case.
    static func of(_ policy: PipelinePolicy) -> [GraphPolicy] {
        let writeBack: String? =
            switch policy.writeBack {
            case .auto: nil
            case .none: "none"
            case .routes: "as listed"
            }
        let values: [(String, String?)] = [
            ("format", policy.format.rawValue),
            ("deadline", policy.deadline?.written),
            ("stale_while_revalidate", policy.staleWhileRevalidate?.written),
            ("stale_if_error", policy.staleIfError?.written),
            ("not_found_ttl", policy.notFoundTTL?.written),
            ("refresh_ahead", policy.refreshAhead?.written),
            ("write_back", writeBack),
        ]
        return values.compactMap { name, value in value.map { GraphPolicy(name, $0) } }
    }
}

extension String {
    /// Only `circuit_breaker` reads better as words; the others are looked up by their names.
    fileprivate var replacingUnderscore: String { self == "circuit_breaker" ? "circuit breaker" : self }
}

extension PipelinePlan {
    /// `friends(user, page = 1)`.
    func signature(_ redactor: Redactor) -> String {
        let words = parameters.map { $0.name + ($0.defaultValue.map { " = \(redactor.redacted($0))" } ?? "") }
        return words.isEmpty ? name : "\(name)(\(words.joined(separator: ", ")))"
    }
}
