/// A cache: a source that can also be written to.
///
/// The runner never writes or removes one key twice at the same time; different keys it does. An entry whose
/// ``Entry/payload`` is nil is written only to sources of plugins with the capability ``Capabilities/keepsNotFound``.
public protocol WritableSource: Source {
    /// Stores `entry` for `key`, in place of what was there. Whole or not at all.
    ///
    /// Throws ``NotKept`` when it is not to be kept, for want of room; what was there is forgotten then all the same.
    func write(_ entry: Entry, for key: Key) async throws
    /// The most entries that are given to ``write(_:)`` at once.
    ///
    /// 1 unless implemented. More is for a source that stores many together in much less time than one after the other.
    var mostWrittenAtOnce: Int { get }
    /// Stores several entries of different keys, each as ``write(_:for:)`` does; gives for each what that would throw, nil where it is stored.
    ///
    /// One failure needs not be that of the others. Writes one after the other unless implemented.
    func write(_ entries: [(entry: Entry, key: Key)]) async -> [(any Error)?]
    /// Gives the copy of `key` the times of `entry`, and what else is known of it, without writing its payload again. Tells whether it did.
    ///
    /// Nothing changes, and the result is false, when the copy is not `held` any more: another one took its place, or it is gone. To look
    /// and to change must be one step, also for other processes: new times on another payload would keep that for too long. A source that
    /// does not implement this writes the whole entry.
    ///
    /// - Parameters:
    ///   - held: the copy as ``Source/read(_:)`` gave it, told by its payload, ``Entry/created`` and ``Entry/stored``. Its
    ///     ``Entry/freshUntil`` may be an earlier one.
    ///   - entry: has the payload, the etag and the content type of `held`.
    func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool
    /// Forgets `key`. Nothing to forget is no error.
    func remove(_ key: Key) async throws
    /// Forgets every key of `pipeline`, and only those.
    func clear(pipeline: String) async throws
    /// Lists what it holds of `pipeline`, expired copies included, and reads no payload to the end where that can be avoided.
    ///
    /// Returns nil when the source cannot tell which keys it holds, as the default does. Bad copies are left out.
    ///
    /// - Parameter limit: the most copies to list, at least 1; ``CacheContents/hasMore`` tells that there are others.
    func contents(of pipeline: String, limit: Int) async throws -> CacheContents?
}

extension WritableSource {
    /// One.
    public var mostWrittenAtOnce: Int { 1 }

    /// One after the other.
    public func write(_ entries: [(entry: Entry, key: Key)]) async -> [(any Error)?] {
        var failures: [(any Error)?] = []
        for (entry, key) in entries {
            do {
                try await write(entry, for: key)
                failures.append(nil)
            } catch {
                failures.append(error)
            }
        }
        return failures
    }
}

extension WritableSource {
    /// Cannot tell.
    public func contents(of pipeline: String, limit: Int) async throws -> CacheContents? { nil }

    /// Writes the whole entry.
    public func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        try await write(entry, for: key)
        return true
    }
}
