/// The policies around the tiers of a pipeline.
public struct PipelinePolicy: Sendable, Hashable {
    /// What its payloads are.
    package var format: PayloadFormat
    /// Which caches an answer is written to.
    package var writeBack: WriteBackPolicy
    /// How long after expiry a copy is still served while it is refreshed in the background (RFC 5861, section 3).
    package var staleWhileRevalidate: Duration?
    /// How long after expiry a copy is still served when the tiers below fail (RFC 5861, section 4).
    package var staleIfError: Duration?
    /// How long an origin's `not_found` is remembered.
    package var notFoundTTL: Duration?
    /// The part of the ttl, from 0 to 1, after which a read starts a refresh in the background.
    package var refreshAhead: Double?
    /// How important its fetches are, where they do not say.
    package var priority: Priority
    /// The longest time for the whole fetch.
    package var deadline: Duration?
    /// The largest payload that ``DataPipeline/put(_:for:contentType:)`` stores.
    package var maxSize: Size

    /// A policy of these values, otherwise the defaults.
    ///
    /// - Parameters:
    ///   - format: what its payloads are.
    ///   - writeBack: which caches an answer is written to.
    ///   - staleWhileRevalidate: how long after expiry a copy is still served while it is refreshed in the background (RFC 5861, section 3).
    ///   - staleIfError: how long after expiry a copy is still served when the tiers below fail (RFC 5861, section 4).
    ///   - notFoundTTL: how long an origin's `not_found` is remembered.
    ///   - refreshAhead: the part of the ttl, from 0 to 1 (what is beyond is the end), after which a read starts a refresh in the background.
    ///   - priority: how important its fetches are, where they do not say.
    ///   - deadline: the longest time for the whole fetch.
    ///   - maxSize: the largest payload that ``DataPipeline/put(_:for:contentType:)`` stores.
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
