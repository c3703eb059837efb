/// A source that reads on the calling thread, in less time than a change of threads would take: a file that the system has at hand.
///
/// A fetch that begins with caches of this kind asks them before it starts a task for the load. No time limit and no cancellation ends
/// such a read.
public protocol SynchronousSource: Source {
    /// The entry stored for `key`, or nil when this source has none. Throws only when it could not answer.
    func readNow(_ key: Key) throws -> Entry?
}

extension SynchronousSource {
    /// What ``readNow(_:)`` finds.
    public func read(_ key: Key) async throws -> Entry? {
        try Task.checkCancellation()
        return try readNow(key)
    }
}
