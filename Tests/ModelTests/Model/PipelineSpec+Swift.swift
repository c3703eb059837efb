import Pipeline

extension PipelineSpec {
    /// The pipeline as a program makes it without a file.
    ///
    /// - Parameter sources: one for each tier.
    func spec(of sources: [any Source]) -> Pipeline.PipelineSpec {
        var policy = PipelinePolicy()
        policy.staleWhileRevalidate = staleWhileRevalidate.map { .milliseconds($0) }
        policy.staleIfError = staleIfError.map { .milliseconds($0) }
        policy.notFoundTTL = notFoundTTL.map { .milliseconds($0) }
        policy.refreshAhead = refreshAhead.map { Double($0) / 100 }
        policy.deadline = deadline.map { .milliseconds($0) }
        policy.writeBack =
            switch writeBack {
            case .auto: .auto
            case .none: .none
            case .routes(let routes):
                .routes(Dictionary(uniqueKeysWithValues: routes.map { (name($0.key), $0.value.map(name)) }))
            }
        let made = zip(tiers.indices, sources).map { index, source in
            Pipeline.TierSpec(SourceSpec(name(index), source, capabilities: tiers[index].capabilities), tiers[index].policy)
        }
        return Pipeline.PipelineSpec("p", parameters: ["id"], policy: policy, tiers: made)
    }
}

extension TierSpec {
    /// What its source can do that its type does not tell.
    var capabilities: Set<Capability> {
        guard isCache else { return [] }
        return keepsNotFound ? [.keepsMetadata, .keepsNotFound] : [.keepsMetadata]
    }

    fileprivate var policy: TierPolicy {
        var policy = TierPolicy()
        if let ttl { policy.ttl = .milliseconds(ttl) }
        policy.debounce = debounce.map { .milliseconds($0) }
        policy.maxDelay = maxDelay.map { .milliseconds($0) }
        policy.timeout = timeout.map { .milliseconds($0) }
        policy.softTimeout = softTimeout.map { .milliseconds($0) }
        policy.onError = failsFinally ? .fail : .next
        policy.onNotFound = onNotFound
        if isLastResort { policy.lastResort = true }
        policy.reads = reads
        policy.writes = writes
        policy.retry = retry.map { RetryPolicy(attempts: $0.attempts, base: .milliseconds($0.base), max: .milliseconds($0.max)) }
        policy.circuitBreaker = breaker.map { CircuitBreakerPolicy(failures: $0.failures, openFor: .milliseconds($0.openFor)) }
        return policy
    }
}
