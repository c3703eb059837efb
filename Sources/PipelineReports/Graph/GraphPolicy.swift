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
    /// The effect of a change on the policy.
    var change: GraphChange?
    /// The numbers that tell the value from others, also where it is masked.
    var identities: [UInt64] = []
    /// The variables and files that the value comes from, before and after a change; nil if it is a secret.
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

    /// Both values on one line, cut if they are long, but not before they differ.
    private static func shortened(_ old: String, _ new: String) -> (String, String) {
        guard old.shortened == new.shortened else { return (old.shortened, new.shortened) }
        let common = zip(old, new).prefix { $0 == $1 }.count
        func part(_ text: String) -> String { "…" + String(text.dropFirst(max(0, common - 10))).shortened }
        return (part(old), part(new))
    }

    private static func words(_ name: String, _ value: String?) -> String {
        switch (name, value) {
        case (TierField.reads.rawValue, "false"): "not read"
        case (TierField.writes.rawValue, "false"): "not written"
        case (TierField.lastResort.rawValue, "true"): "last resort"
        case (PipelineField.writeBack.rawValue, "none"): "no write-back"
        case (PipelineField.format.rawValue, let value?): value
        case (let name, let value) where name.hasPrefix(ComparedFields.prefix):
            "\(name.dropFirst(ComparedFields.prefix.count)) of the source \(value?.shortened ?? "")"
        default: "\(name.replacingUnderscore) \(value ?? "")"
        }
    }
}

extension GraphPolicy {
    /// The policies of a tier that differ from the defaults.
    static func of(_ policy: TierPolicy, isLastResort: Bool) -> [GraphPolicy] {
        TierField.allCases.compactMap { field in
            value(field, of: policy, isLastResort: isLastResort).map { GraphPolicy(field.rawValue, $0) }
        }
    }

    /// The policies of a pipeline that differ from the defaults; its format in any case.
    static func of(_ policy: PipelinePolicy) -> [GraphPolicy] {
        let first: [PipelineField] = [.format, .priority, .deadline]
        let last = PipelineField.writeBack
        let order = first + PipelineField.allCases.filter { !first.contains($0) && $0 != last && $0 != .maxSize } + [last, .maxSize]
        return order.compactMap { field in value(field, of: policy).map { GraphPolicy(field.rawValue, $0) } }
    }

    private static func value(_ field: TierField, of policy: TierPolicy, isLastResort: Bool) -> String? {
        switch field {
        case .ttl: policy.ttl?.written
        case .jitter: policy.jitter > 0 ? Ratio(policy.jitter).written : nil
        case .debounce: policy.debounce?.written
        case .maxDelay: policy.maxDelay == policy.debounce.map(TierPolicy.defaultMaxDelay) ? nil : policy.maxDelay?.written
        case .timeout: policy.timeout == TierPolicy.defaultTimeout ? nil : policy.timeout?.written
        case .softTimeout: policy.softTimeout?.written
        case .onError: policy.onError == .fail ? "fail" : nil
        case .onNotFound: policy.onNotFound == .stop ? nil : policy.onNotFound.rawValue
        case .lastResort: isLastResort ? "true" : nil
        case .reads: policy.reads ? nil : "false"
        case .writes: policy.writes ? nil : "false"
        case .retry: policy.retry.map(words)
        case .circuitBreaker:
            policy.circuitBreaker.flatMap { $0.failures > 0 ? "\($0.failures) failures, \($0.openFor.written ?? "")" : nil }
        }
    }

    /// The waits that there are: the longest may be one that they never reach.
    private static func words(_ retry: RetryPolicy) -> String {
        let waits = PipelineFacts.waits(retry)
        guard let first = waits.first?.written, let last = waits.last?.written else { return "\(retry.attempts)×" }
        return "\(retry.attempts)×, \(first)" + (first == last ? "" : " to \(last)")
    }

    private static func value(_ field: PipelineField, of policy: PipelinePolicy) -> String? {
        switch field {
        case .format: policy.format.rawValue
        case .priority: policy.priority == PipelinePolicy().priority ? nil : PriorityWord(policy.priority).rawValue
        case .deadline: policy.deadline?.written
        case .staleWhileRevalidate: policy.staleWhileRevalidate?.written
        case .staleIfError: policy.staleIfError?.written
        case .notFoundTTL: policy.notFoundTTL?.written
        case .refreshAhead: policy.refreshAhead.flatMap { Ratio($0).written }
        case .writeBack:
            switch policy.writeBack {
            case .auto: nil
            case .none: "none"
            case .routes: "as listed"
            }
        case .maxSize: policy.maxSize == PipelinePolicy().maxSize ? nil : policy.maxSize.written
        // Drawn as what they are, or compared where two files are.
        case .description, .parameters, .tiers, .live, .combine, .links: nil
        }
    }
}

extension String {
    /// The words for the field: only `circuit_breaker` reads better as words; the others are looked up by their names.
    fileprivate var replacingUnderscore: String { self == TierField.circuitBreaker.rawValue ? "circuit breaker" : self }
}

extension PipelinePlan {
    /// `friends(user, page = 1)`.
    func signature(_ redactor: Redactor) -> String { parameters.signature(of: name, redactor) }
}

extension SendPlan {
    /// `add_friend(user)`.
    func signature(_ redactor: Redactor) -> String { parameters.signature(of: name, redactor) }
}

extension [ParameterConfig] {
    fileprivate func signature(of name: String, _ redactor: Redactor) -> String {
        let words = map { $0.name + ($0.defaultValue.map { " = \(redactor.redacted($0))" } ?? "") }
        return words.isEmpty ? name : "\(name)(\(words.joined(separator: ", ")))"
    }
}
