internal import Pipeline
internal import PipelineConfig

/// One policy of a tier or a pipeline, beyond the defaults: its field, and what holds.
package struct GraphPolicy: Hashable {
    /// The field of the file.
    let name: String
    /// The value as it would be written; nil for one that a change removes.
    var value: String?
    /// The value before a change; nil for one that it adds.
    var former: String?
    /// What a change does to it.
    var change: GraphChange?
    /// What tells the value from others, also where it is masked.
    var identities: [UInt64] = []
    /// The variables and files that the value comes from, before and after a change; nil where it is a secret.
    var origins: [String]? = []
    var formerOrigins: [String]? = []

    init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }

    /// Takes `text` for what tells the value from others. Where something else is shown, the value is masked.
    mutating func tellApart(by text: String, shown: String? = nil) {
        identities = [UInt64(bitPattern: Int64(text.hashValue))]
        if text != shown ?? value { (origins, formerOrigins) = (nil, nil) }
    }

    /// `ttl 30s`, and of a change `ttl 30s → 1m`.
    var words: String {
        switch change {
        case .added: "+ \(Self.words(name, value))"
        case .removed: "- \(Self.words(name, former))"
        case .moved, .changed: changedWords
        case nil: Self.words(name, value)
        }
    }

    private var changedWords: String {
        let isField = name.hasPrefix(ComparedFields.prefix)
        guard let former, let value, former == value else {
            let (before, after) = isField ? Self.shortened(former ?? "", value ?? "") : (former ?? "", value ?? "")
            return "\(Self.words(name, before)) → \(after)"
        }
        guard let origins, let formerOrigins else { return "\(Self.words(name, nil))changed (masked)" }
        func from(_ origins: [String]) -> String { origins.isEmpty ? "as written" : "from \(origins.joined(separator: ", "))" }
        return "\(Self.words(name, value)) \(from(formerOrigins)) → \(from(origins))"
    }

    /// Both on one line, cut where they are long, but not before they differ.
    private static func shortened(_ old: String, _ new: String) -> (String, String) {
        guard old.shortened == new.shortened else { return (old.shortened, new.shortened) }
        let common = zip(old, new).prefix { $0 == $1 }.count
        func part(_ text: String) -> String { "…" + String(text.dropFirst(max(0, common - 10))).shortened }
        return (part(old), part(new))
    }

    private static func words(_ name: String, _ value: String?) -> String {
        switch (name, value) {
        case ("read", "false"): "not read"
        case ("write", "false"): "not written"
        case ("last_resort", "true"): "last resort"
        case ("write_back", "none"): "no write-back"
        case ("format", let value?): value
        case (let name, let value) where name.hasPrefix(ComparedFields.prefix):
            "\(name.dropFirst(ComparedFields.prefix.count)) of the source \(value?.shortened ?? "")"
        default: "\(name.replacingUnderscore) \(value ?? "")"
        }
    }
}

extension GraphPolicy {
    /// What holds for a tier, beyond the defaults.
    static func of(_ policy: TierPolicy, isLastResort: Bool) -> [GraphPolicy] {
        given(values(of: policy, isLastResort: isLastResort))
    }

    /// What a pipeline says of itself, beyond the defaults; its format in any case.
    static func of(_ policy: PipelinePolicy) -> [GraphPolicy] { given(values(of: policy)) }

    /// The fields of tiers, and those of pipelines, that become policies.
    static let tierFields = Set(values(of: TierPolicy(), isLastResort: false).map(\.0))
    static let pipelineFields = Set(values(of: PipelinePolicy()).map(\.0))

    private static func given(_ values: [(String, String?)]) -> [GraphPolicy] {
        values.compactMap { name, value in value.map { GraphPolicy(name, $0) } }
    }

    private static func values(of policy: TierPolicy, isLastResort: Bool) -> [(String, String?)] {
        let breaker = policy.circuitBreaker.flatMap { $0.failures > 0 ? $0 : nil }
        return [
            ("ttl", policy.ttl?.written),
            ("jitter", policy.jitter > 0 ? Ratio(policy.jitter).written : nil),
            ("debounce", policy.debounce?.written),
            ("max_delay", policy.maxDelay == policy.debounce.map(TierPolicy.defaultMaxDelay) ? nil : policy.maxDelay?.written),
            ("timeout", policy.timeout == TierPolicy.defaultTimeout ? nil : policy.timeout?.written),
            ("soft_timeout", policy.softTimeout?.written),
            ("on_error", policy.onError == .fail ? "fail" : nil),
            ("on_not_found", policy.onNotFound == .stop ? nil : policy.onNotFound.rawValue),
            ("last_resort", isLastResort ? "true" : nil),
            ("read", policy.reads ? nil : "false"),
            ("write", policy.writes ? nil : "false"),
            ("retry", policy.retry.map(words)),
            ("circuit_breaker", breaker.map { "\($0.failures) failures, \($0.openFor.written ?? "")" }),
        ]
    }

    /// The waits that there are: the longest may be one that they never reach.
    private static func words(_ retry: RetryPolicy) -> String {
        let waits = PipelineFacts.waits(retry)
        guard let first = waits.first?.written, let last = waits.last?.written else { return "\(retry.attempts)×" }
        return "\(retry.attempts)×, \(first)" + (first == last ? "" : " to \(last)")
    }

    private static func values(of policy: PipelinePolicy) -> [(String, String?)] {
        let writeBack: String? =
            switch policy.writeBack {
            case .auto: nil
            case .none: "none"
            case .routes: "as listed"
            }
        return [
            ("format", policy.format.rawValue),
            ("priority", policy.priority == PipelinePolicy().priority ? nil : PriorityWord(policy.priority).rawValue),
            ("deadline", policy.deadline?.written),
            ("stale_while_revalidate", policy.staleWhileRevalidate?.written),
            ("stale_if_error", policy.staleIfError?.written),
            ("not_found_ttl", policy.notFoundTTL?.written),
            ("refresh_ahead", policy.refreshAhead.flatMap { Ratio($0).written }),
            ("write_back", writeBack),
            ("max_size", policy.maxSize == PipelinePolicy().maxSize ? nil : policy.maxSize.written),
        ]
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
