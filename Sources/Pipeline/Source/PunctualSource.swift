/// A source that ends a read by itself when its time is over. Others are read in a task of their own, which is left behind then.
package protocol PunctualSource: Source {
    /// The entry stored for `key`, as ``Source/read(_:)`` gives it. Throws ``PastLimit`` once the moment of `limit` has come, another error
    /// when the read is called off, and `CancellationError` when the task is cancelled: each at once and wherever it waits, as
    /// ``Race/value(until:on:leaving:)`` does. Never blocks its thread.
    func read(_ key: Key, until limit: ReadLimit) async throws -> Entry?
}
