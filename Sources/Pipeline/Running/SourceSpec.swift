/// A source and the name under which pipelines know it.
///
/// Pipelines that name the same source share what is written to it. Make one value and use it in each of them: another source under the same
/// name is a ``UsageError``.
public struct SourceSpec: Sendable {
    /// The name, for traces, for write-back and for other orders.
    package let name: String
    /// The source.
    package let source: any Source
    /// The source as a cache; nil for an origin.
    package let cache: (any WritableSource)?
    /// The source as a change source; nil for one that holds or gives values.
    package let live: (any LiveSource)?
    /// Whether it is an origin: it gives values, and nothing is written to it.
    package var isOrigin: Bool { cache == nil && live == nil }
    /// What it can do that its type does not tell.
    package let capabilities: Set<Capability>
    /// Tells this source from others, also where both are values of one struct.
    let identity = Identity()

    final class Identity: Sendable {}

    /// A source called `name`.
    ///
    /// - Parameters:
    ///   - isReadOnly: uses a source that can be written as an origin: nothing is written back to it or removed from it.
    ///   - capabilities: what it can do that its type does not tell. Without ``Capability/keepsNotFound`` the policy
    ///     `notFoundTTL` of a ``PipelinePolicy`` has no effect on it; one with ``Capability/alwaysAnswers`` is a last resort below another origin.
    public init(_ name: String, _ source: any Source, isReadOnly: Bool = false, capabilities: Set<Capability> = []) {
        let cache = isReadOnly ? nil : source as? any WritableSource
        self.init(name, source, cache: cache, live: source as? any LiveSource, capabilities: capabilities)
    }

    /// - Parameters:
    ///   - cache: the source as a cache; nil for others. Passing it saves a cast at run time.
    ///   - live: the source as a change source; nil for others.
    package init(
        _ name: String, _ source: any Source, cache: (any WritableSource)?, live: (any LiveSource)? = nil, capabilities: Set<Capability>
    ) {
        self.name = name
        self.source = source
        self.cache = cache
        self.live = live
        self.capabilities = capabilities
    }
}
