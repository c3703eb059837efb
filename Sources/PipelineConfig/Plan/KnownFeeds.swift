internal import Pipeline

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
