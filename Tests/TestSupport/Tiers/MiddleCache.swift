package import Pipeline
package import PipelineConfig

/// A cache in the middle of a pipeline that a test can look into, hold up and break. What happens to it counts for all its users.
package protocol MiddleCache: Sendable {
    /// Makes the source.
    var plugin: SourcePlugin { get }
    /// The fields of the source besides its type, as in a flow mapping.
    var fields: String { get }
    /// Whether a read of a key by the same process waits for a change of the key; reads of other processes do not.
    var ordersReadsBehindChanges: Bool { get }

    /// Puts `entry` there, as another process would.
    func hold(_ entry: Entry, for key: Key) async throws
    /// The entry that is there, fresh or not.
    func entry(for key: Key) async throws -> Entry?
    /// How many entries there are.
    func count() async throws -> Int

    /// What is returned says whether anything was changed since; where it can be known, also whether anything was asked.
    func watch() async throws -> @Sendable () async throws -> Bool
    /// From now on reads fail.
    func breakDown() async throws -> Fault
    /// From now on changes fail at once, and reads do not.
    func refuseChanges() async throws -> Fault
    /// From now on changes wait, and reads do not unless they are ordered behind them.
    func holdUpChanges() async throws
    /// Returns when a change waits, where that can be known.
    func changeWaits() async throws
    /// Changes are made again, also those that wait.
    func takeChanges() async throws
}

extension MiddleCache {
    /// It does not.
    package var ordersReadsBehindChanges: Bool { false }

    /// At once: it cannot be known.
    package func changeWaits() async throws {}
}

/// How a cache fails.
package struct Fault: Sendable {
    /// The end of the reason that a trace gives.
    package let words: String
    /// Whether an error is the one that was met.
    package let isCause: @Sendable (any Error) -> Bool

    /// - Parameter isCause: nil where the error is the source's own, with the words for its reason.
    package init(_ words: String, isCause: (@Sendable (any Error) -> Bool)? = nil) {
        self.words = words
        self.isCause = isCause ?? { ($0 as? SourceError)?.reason.hasSuffix(words) == true }
    }
}
