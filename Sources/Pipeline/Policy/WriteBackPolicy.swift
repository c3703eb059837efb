/// Which caches an answer is written to.
///
/// New cases may come: switch with a `default`.
public enum WriteBackPolicy: Sendable, Hashable {
    /// An origin's answer goes to every cache of the pipeline, a cache's to those above it, that of a last resort nowhere.
    case auto
    /// Answers are written to no cache.
    case none
    /// The answers of each source that is listed, by its name, go to these caches. Nothing else is written.
    case routes([String: [String]])
}
