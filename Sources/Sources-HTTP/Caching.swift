public import PipelineConfig

/// What decides how long copies of an answer are fresh.
public enum Caching: String, FieldChoice {
    /// What the server says, for a cache of a single user.
    case headers
    /// The same as ``headers``.
    case `private`
    /// What the server says, for a cache that several users share.
    case shared
    /// The `ttl` of each tier alone.
    case none
}
