/// Something that happened in a pipeline, in the words of its trace.
///
/// Reasons are for people, and secrets are masked in them; the errors behind them are as the sources threw them. An outcome has the value: an
/// observer that prints or keeps it prints or keeps payloads.
///
/// New cases may come: switch with a `default`.
public enum PipelineEvent: Sendable {
    /// A tier was asked, or skipped. A load with many waiters reports its attempts once.
    case attempt(Attempt, key: Key)
    /// A fetch ended with an answer or a failure. The duration is zero for an answer from memory without a wait. One that was cancelled ends
    /// without an event.
    case fetch(Outcome, duration: Duration)
    /// A refresh in the background ended.
    case refresh(Outcome, duration: Duration)
    /// A write to a cache ended, or was not made. A debounced write is reported when it is made; one that failed and is tried again is
    /// reported once, and once more when it succeeds.
    case write(WriteRecord, key: Key)
    /// The caches removed a key, or all keys of the pipeline if the key is nil.
    case removal(RemovalReport, pipeline: String, key: Key?)
    /// A cache evicted a copy to keep within its bounds. The key is nil if the cache no longer knows it.
    case eviction(source: String, key: Key?)
    /// A source refuses the subscription to the messages of other processes, for this reason: a shared cache confirms this process's own copies
    /// at each fetch. Reported once, and once more with nil when the subscription begins again.
    case subscription(source: String, failure: String?)
    /// Something happened at a source of changes: a feed, or an outbox.
    case change(any ChangeSourceEvent, source: String, pipeline: String)

    /// Receives events when and on the thread where they happen. It delays a fetch, so it must not wait. Events of one fetch come in order;
    /// events of several fetches may come at the same time.
    public typealias Observer = @Sendable (PipelineEvent) -> Void

    /// The pipeline it happened in; nil for an eviction of an unknown key, and for a subscription, which serves all that use the source.
    package var pipeline: String? {
        switch self {
        case .attempt(_, let key), .write(_, let key): key.pipeline
        case .fetch(let outcome, _), .refresh(let outcome, _): outcome.key.pipeline
        case .removal(_, let pipeline, _), .change(_, _, let pipeline): pipeline
        case .eviction(_, let key): key?.pipeline
        case .subscription: nil
        }
    }
}

/// An event of a kind that another module declares, such as `FeedEvent` of PipelineLive.
public protocol ChangeSourceEvent: Sendable {}
