/// A source that ends a read by itself when its time is over. Others are read in a task of their own, which is left behind then.
package protocol PunctualSource: Source {
    /// The entry stored for `key`, as ``Source/read(_:)`` gives it. Throws ``PastLimit`` once `end` has come, and `CancellationError` when
    /// the task is cancelled, both at once and wherever it waits; never blocks its thread.
    func read(_ key: Key, until end: Timestamp) async throws -> Entry?
}
