/// The policies around the tiers of a pipeline.
public struct PipelinePolicy: Sendable, Hashable {
    /// What its payloads are.
    public var format = PayloadFormat.json
    /// Which caches an answer goes to.
    public var writeBack = WriteBackPolicy.auto
    /// For so long after it expired a copy is served at once while it is refreshed (RFC 5861, section 3).
    public var staleWhileRevalidate: Duration?
    /// For so long after it expired a copy is served when the tiers below fail (RFC 5861, section 4).
    public var staleIfError: Duration?
    /// For so long an origin's `not_found` is remembered.
    public var notFoundTTL: Duration?
    /// From this part of the ttl on, a read starts a refresh.
    public var refreshAhead: Ratio?
    /// The time for the whole fetch.
    public var deadline: Duration?
    /// The largest payload that ``DataPipeline/put(_:for:contentType:)`` stores.
    public var maxSize = Size.mebibytes(64)

    /// The policy of a pipeline that says nothing.
    public init() {}
}
