internal import Pipeline

/// The tiers of a pipeline whose sources are known, each source once.
struct KnownTiers {
    struct Element {
        let tier: TierConfig
        let source: SourceConfig
        /// The place of the source in the order of the file; nil for a composite, which is of its pipeline alone.
        let index: Int?
        /// Whether it is asked after all others.
        let isLastResort: Bool

        var policy: TierPolicy { tier.policy }
        var ordered: OrderedTier { OrderedTier(source: source, tier: tier) }
        /// Whether it is a cache; nil when it is unknown.
        var isCache: Bool? { source.isWritable }
        /// Whether it is a cache that is asked.
        var isReadCache: Bool { isCache == true && policy.reads }
        /// Whether it is a cache that answers are written to.
        var isWrittenCache: Bool { isCache == true && policy.writes }
        /// Whether it is a cache whose copies have no ttl.
        var keepsForEver: Bool {
            isReadCache && isWrittenCache && tier.isSound && source.isSoundInForm && policy.ttl == nil
        }
    }

    let elements: [Element]
    /// Tiers whose source is not known.
    let undefined: [TierConfig]
    /// Tiers whose source was named before, and there.
    let repeated: [(tier: TierConfig, first: Element)]
    /// Tiers whose source holds no values, with the places of these.
    let valueless: [(tier: TierConfig, index: Int)]
    /// Whether these are all that there are, and it is known of each what it can do.
    let isWhole: Bool
    /// Whether each of them could be read.
    let isSound: Bool

    /// Looks up the sources of `pipeline`, once for all that is asked of them.
    init(of pipeline: DeclaredPipeline, in sources: SourceTable) {
        var elements: [Element] = []
        elements.reserveCapacity(pipeline.tiers.count)
        var undefined: [TierConfig] = []
        var repeated: [(TierConfig, Element)] = []
        var valueless: [(TierConfig, Int)] = []
        var positions: [Int?: Int] = [:]
        var lastResort = LastResort()
        for tier in pipeline.tiers {
            let composite = tier.isComposite ? pipeline.composite : nil
            let index = composite == nil ? sources.index(of: tier.source) : nil
            guard let source = composite ?? index.map({ sources.all[$0] }) else {
                undefined.append(tier)
                continue
            }
            if let index, !source.mayHoldValues {
                valueless.append((tier, index))
            } else if let position = positions[index] {
                repeated.append((tier, elements[position]))
            } else {
                positions[index] = elements.count
                let isLast = lastResort.takes(tier.policy, isOrigin: source.isWritable == false, alwaysAnswers: source.alwaysAnswers)
                elements.append(Element(tier: tier, source: source, index: index, isLastResort: isLast))
            }
        }
        self.elements = elements
        self.undefined = undefined
        self.repeated = repeated
        self.valueless = valueless
        isWhole =
            pipeline.hasAllTiers && elements.count == pipeline.tiers.count && elements.allSatisfy { $0.source.capabilities != nil }
        isSound = isWhole && elements.allSatisfy { $0.tier.isSound && $0.source.isSoundInForm }
    }

    /// Whether entries may carry their own limits of freshness, and windows after them.
    var limitFreshness: Bool { elements.contains(where: \.source.limitsFreshness) }

    /// In the order of asking.
    var asked: [Element] { elements.filter { !$0.isLastResort } + elements.filter(\.isLastResort) }

    /// As the plan takes them.
    var planned: [OrderedTier] { elements.map(\.ordered) }
}

/// The feeds of a pipeline whose sources are known, each source once.
struct KnownFeeds {
    struct Element {
        let feed: FeedConfig
        let source: SourceConfig
        /// The place of the source in the order of the file.
        let index: Int

        /// Whether messages of the feed are merged.
        var isMerging: Bool { feed.merging != nil && !hasSignalsOnly }
        /// Whether the messages of the source have no content.
        var hasSignalsOnly: Bool { source.capabilities?.contains(.signalsOnly) == true }
    }

    /// Those of sources that report changes, or may.
    let elements: [Element]
    /// Those of sources that tell of no changes.
    let silent: [Element]
    /// Those whose source is not known.
    let undefined: [FeedConfig]
    /// Those whose source was named before, and there.
    let repeated: [(feed: FeedConfig, first: Element)]

    /// Looks up the sources of the feeds of `pipeline`.
    init(of pipeline: DeclaredPipeline, in sources: SourceTable) {
        var elements: [Element] = []
        var silent: [Element] = []
        var undefined: [FeedConfig] = []
        var repeated: [(FeedConfig, Element)] = []
        var first: [Int: Element] = [:]
        for feed in pipeline.feeds {
            guard let index = sources.index(of: feed.source) else {
                undefined.append(feed)
                continue
            }
            let element = Element(feed: feed, source: sources.all[index], index: index)
            if let first = first[index] {
                repeated.append((feed, first))
                continue
            }
            first[index] = element
            if element.source.tellsOfChanges == false { silent.append(element) } else { elements.append(element) }
        }
        (self.elements, self.silent, self.undefined, self.repeated) = (elements, silent, undefined, repeated)
    }

    /// As the plan takes them.
    var planned: [FeedPlan] { elements.map { FeedPlan(source: $0.source, feed: $0.feed) } }
}
