/// A source that answers without waiting, as memory does. The runner asks it before it starts a task.
public protocol ImmediateSource: Source {
    /// The entry for `key`, or nil. Must not block.
    func peek(_ key: Key) -> Entry?
}

extension ImmediateSource {
    /// What ``peek(_:)`` finds.
    public func read(_ key: Key) async throws -> Entry? { peek(key) }
}
