/// The policies around the tiers of a pipeline.
public struct PipelinePolicy: Sendable, Hashable {
    /// What its payloads are.
    public var format = PayloadFormat.json
    /// Which caches an answer is written to.
    public var writeBack = WriteBackPolicy.auto
    /// How long after expiry a copy is still served while it is refreshed in the background (RFC 5861, section 3).
    public var staleWhileRevalidate: Duration?
    /// How long after expiry a copy is still served when the tiers below fail (RFC 5861, section 4).
    public var staleIfError: Duration?
    /// How long an origin's `not_found` is remembered.
    public var notFoundTTL: Duration?
    /// The part of the ttl after which a read starts a refresh in the background.
    public var refreshAhead: Ratio?
    /// How important its fetches are, where they do not say.
    public var priority = Priority.normal
    /// The longest time for the whole fetch.
    public var deadline: Duration?
    /// The largest payload that ``DataPipeline/put(_:for:contentType:)`` stores.
    public var maxSize = Size.mebibytes(64)

    /// A policy with the defaults.
    public init() {}
}
