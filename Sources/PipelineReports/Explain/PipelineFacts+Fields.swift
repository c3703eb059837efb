internal import Pipeline
internal import PipelineConfig

/// The sentences that follow from each field. The sections of an explanation put these sentences where they belong.
extension PipelineFacts {
    func sentences(_ field: PipelineField) -> [Sentence] {
        switch field {
        // It stands in the title.
        case .description: []
        case .parameters: parameters
        case .format: [format]
        case .combine: combining
        case .tiers: [order]
        case .links: linking
        case .live: changes
        case .writeBack: writing
        case .staleWhileRevalidate: whileRevalidation
        case .staleIfError: afterError
        case .notFoundTTL: remembering
        case .refreshAhead: aheadOfTime
        case .priority: priority
        case .deadline: whole
        // It concerns no fetch.
        case .maxSize: []
        }
    }

    func sentences(_ field: TierField, of tier: TierPlan) -> [Sentence] {
        switch field {
        case .ttl: copies(in: tier)
        case .jitter: spread(in: tier)
        // The second says how long the first may put a write off.
        case .debounce: delay(of: tier)
        case .maxDelay: []
        case .timeout: limitation(of: tier)
        case .softTimeout: softLimit(of: tier)
        case .onError: failure(of: tier)
        case .onNotFound: exception(of: tier)
        case .lastResort: lastResort(tier)
        case .reads: unread(tier)
        case .writes: neverFilled(tier)
        case .retry: retries(of: tier)
        case .circuitBreaker: circuit(of: tier)
        }
    }

    /// The tiers that are asked before this one.
    func above(_ tier: TierPlan) -> ArraySlice<TierPlan> { asked.prefix { $0.name != tier.name } }
}
