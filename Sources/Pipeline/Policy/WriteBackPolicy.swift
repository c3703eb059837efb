/// Which caches an answer is written to.
public enum WriteBackPolicy: Sendable, Hashable {
    /// The answers of one source and the caches they go to, by their names.
    public struct Route: Sendable, Hashable {
        /// The source whose answers are written.
        package let from: String
        /// The caches that they are written to.
        package let to: [String]

        /// The answers of `from` go to `to`.
        public init(from: String, to: [String]) {
            self.from = from
            self.to = to
        }
    }

    /// An origin's answer goes to every cache of the pipeline, a cache's to those above it, that of a last resort nowhere.
    case auto
    /// Answers are written to no cache.
    case none
    /// As listed, and nowhere else.
    case routes([Route])
}
