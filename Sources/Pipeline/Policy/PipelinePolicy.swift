/// The policies around the tiers of a pipeline.
public struct PipelinePolicy: Sendable, Hashable {
    /// The format of the payloads.
    public var format: PayloadFormat
    /// The caches that an answer is written to.
    public var writeBack: WriteBackPolicy
    /// The time after expiry for which a copy is still served while it is refreshed in the background (RFC 5861, section 3).
    public var staleWhileRevalidate: Duration?
    /// The time after expiry for which a copy is still served when the tiers below fail (RFC 5861, section 4).
    public var staleIfError: Duration?
    /// The time for which an origin's `not_found` is remembered.
    public var notFoundTTL: Duration?
    /// The part of the ttl, from 0 to 1 (what is beyond is the end), after which a read starts a refresh in the background.
    public var refreshAhead: Double? { didSet { refreshAhead = refreshAhead?.asPart } }
    /// The priority of fetches that do not name one.
    public var priority: Priority
    /// The longest time for a fetch.
    public var deadline: Duration?
    /// The largest payload that ``DataPipeline/put(_:for:contentType:)`` stores.
    public var maxSize: Size

    /// A policy of these values, otherwise the defaults.
    public init(
        format: PayloadFormat = .json, writeBack: WriteBackPolicy = .auto, staleWhileRevalidate: Duration? = nil,
        staleIfError: Duration? = nil, notFoundTTL: Duration? = nil, refreshAhead: Double? = nil, priority: Priority = .normal,
        deadline: Duration? = nil, maxSize: Size = Size(bytes: 64 << 20)
    ) {
        self.format = format
        self.writeBack = writeBack
        self.staleWhileRevalidate = staleWhileRevalidate
        self.staleIfError = staleIfError
        self.notFoundTTL = notFoundTTL
        self.refreshAhead = refreshAhead?.asPart
        self.priority = priority
        self.deadline = deadline
        self.maxSize = maxSize
    }
}

/// The caches that an answer is written to.
///
/// New cases may come: switch with a `default`.
public enum WriteBackPolicy: Sendable, Hashable {
    /// An origin's answer goes to every cache of the pipeline, a cache's to those above it, a last resort's nowhere.
    case auto
    /// Answers are written to no cache.
    case none
    /// The answers of each source that is listed, by its name, go to these caches. Nothing else is written.
    case routes([String: [String]])
}
