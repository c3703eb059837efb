public import Pipeline
/// A source that reports changes. It holds no values: pipelines name it under `live`, never as a tier.
///
/// A pipeline connects it for each key that is observed. Keys with an equal ``channel(for:)`` share one connection. After a connection ended,
/// the pipeline pauses and calls ``listen(for:to:)`` again; a source never connects again by itself.
public protocol LiveSource: Source {
    /// What the connection for `key` depends on, such as its URL and headers. It may hold secrets and is never shown.
    ///
    /// Throws when there can be no connection for the key.
    func channel(for key: Key) throws -> String

    /// Connects for `key`, and reports to `listener` what comes until the connection ends. Returns how it ended.
    ///
    /// Call ``LiveListener/begin()`` when the stream has begun, then ``LiveListener/receive(_:)`` for each message, in order. Report nothing
    /// after this returned. Throws `CancellationError` when the task is cancelled, and must then leave the server at once. A `SourceError`
    /// counts as the ``LiveEnding`` of its kind.
    func listen(for key: Key, to listener: LiveListener) async throws -> LiveEnding

    /// What connections depend on beside ``channel(for:)``, such as limits, in an order of its type. Sources of one type whose settings are
    /// equal share the connections of equal channels. Nil: this source shares none.
    var sharedSettings: [any Hashable & Sendable]? { get }

    /// The pauses between two attempts to connect.
    var reconnecting: ReconnectPolicy { get }

    /// Whether a new connection goes on where the last one ended, as the server promises: then nothing is loaded after a reconnect.
    var resumes: Bool { get }
}

extension LiveSource {
    /// Nil: a change source holds no values.
    public func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }

    /// No other source shares its connection.
    public var sharedSettings: [any Hashable & Sendable]? { nil }

    /// From 1 s to 30 s.
    public var reconnecting: ReconnectPolicy { ReconnectPolicy() }

    /// A new connection begins anew: the value is loaded after it.
    public var resumes: Bool { false }
}
