/// A tier of a pipeline: a source and the policy it has there.
public struct TierSpec: Sendable {
    /// The source.
    package let source: SourceSpec
    /// The policy.
    package var policy: TierPolicy

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
