internal import CoreMetrics
internal import Pipeline

/// What is counted of one feed.
struct FeedMetrics {
    /// Keys by the state of their feed.
    private let states: [FeedStatus.State: Meter]
    private let messages: Counter
    private let skipped: Counter
    private let dropped: Counter
    private let reconnects: Counter
    private let syncs: Counter

    init(_ name: TierName, factory: any MetricsFactory) {
        func counter(_ metric: PipelineMetric) -> Counter {
            Counter(label: metric.rawValue, dimensions: name.dimensions, factory: factory)
        }
        messages = counter(.feedMessages)
        skipped = counter(.feedSkipped)
        dropped = counter(.feedDropped)
        reconnects = counter(.feedReconnects)
        syncs = counter(.feedSyncs)
        states = Dictionary(
            uniqueKeysWithValues: FeedStatus.State.allCases.filter { $0 != .off }.map { state in
                let dimensions = name.dimensions + [("state", state.rawValue)]
                let meter = Meter(label: PipelineMetric.feeds.rawValue, dimensions: dimensions, factory: factory)
                meter.set(0)
                return (state, meter)
            })
    }

    func count(_ event: FeedEvent) {
        switch event {
        case .state(let status, let before):
            states[before]?.decrement()
            states[status.state]?.increment()
        case .messages(let count): messages.increment(by: count)
        case .skipped(let count, _): skipped.increment(by: count)
        case .dropped(let count, _): dropped.increment(by: count)
        case .reconnect: reconnects.increment()
        case .synced: syncs.increment()
        }
    }
}
