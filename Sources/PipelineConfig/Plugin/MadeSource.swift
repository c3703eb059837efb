internal import Pipeline

/// A source as its plugin made it, and what else it is. A cast would search all conformances of the program at its start.
struct MadeSource: Sendable {
    /// The source.
    let source: any Source
    /// The same as a cache; nil for one that is not written to.
    let cache: (any WritableSource)?
    /// The same as a change source; nil for one that holds or gives values.
    let live: (any LiveSource)?

    /// An origin.
    init(_ source: any Source) {
        (self.source, cache, live) = (source, nil, nil)
    }

    /// A cache.
    init(cache: any WritableSource) {
        (source, self.cache, live) = (cache, cache, nil)
    }

    /// A change source.
    init(live: any LiveSource) {
        (source, cache, self.live) = (live, nil, live)
    }
}
