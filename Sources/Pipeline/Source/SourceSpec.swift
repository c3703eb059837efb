/// A source and the name under which pipelines know it.
///
/// Pipelines that name the same source share what is written to it. Make one value and use it in each of them: another source under the same
/// name is a ``UsageError``.
public struct SourceSpec: Sendable {
    /// The name, for traces, for write-back and for other orders.
    public let name: String
    /// The source.
    package let source: any Source
    /// The source as a cache; nil for an origin.
    package let cache: (any WritableSource)?
    /// Whether it stands for the source that an addition gives the pipeline.
    package var isPlaceholder = false
    /// Indicates whether it is an origin: it gives values, and nothing is written to it.
    package var isOrigin: Bool { cache == nil && !capabilities.contains(.emitsChanges) }
    /// The capabilities that its type does not tell.
    public let capabilities: Set<Capability>
    /// Tells this source from others, also where both are values of one struct.
    package let identity = Identity()

    package final class Identity: Sendable {}

    /// A source called `name`.
    ///
    /// - Parameters:
    ///   - isReadOnly: uses a source that can be written as an origin: nothing is written back to it or removed from it.
    ///   - capabilities: what it can do that its type does not tell. Without ``Capability/keepsNotFound`` the policy
    ///     `notFoundTTL` of a ``PipelinePolicy`` has no effect on it; one with ``Capability/alwaysAnswers`` is a last resort below another origin.
    public init(_ name: String, _ source: any Source, isReadOnly: Bool = false, capabilities: Set<Capability> = []) {
        let cache = isReadOnly ? nil : source as? any WritableSource
        self.init(name, source, cache: cache, capabilities: capabilities)
    }

    /// - Parameter cache: the source as a cache; nil for others. Passing it saves a cast at run time.
    package init(_ name: String, _ source: any Source, cache: (any WritableSource)?, capabilities: Set<Capability>) {
        self.name = name
        self.source = source
        self.cache = cache
        self.capabilities = capabilities
    }
}

/// A tier of a pipeline: a source and the policy it has there.
public struct TierSpec: Sendable {
    /// The source.
    public let source: SourceSpec
    /// The policy.
    public var policy: TierPolicy

    /// The name of the source.
    package var name: String { source.name }

    /// A tier of `source`.
    public init(_ source: SourceSpec, _ policy: TierPolicy = TierPolicy()) {
        self.source = source
        self.policy = policy
    }

    /// A tier of `source` whose copies stay fresh for `ttl`, and otherwise the defaults.
    public init(_ source: SourceSpec, ttl: Duration) {
        self.init(source, TierPolicy(ttl: ttl))
    }
}
