/// A cache: a source that can also be written to.
///
/// Calls that write or remove the same key never overlap; calls for different keys may. An entry whose ``Entry/payload`` is nil is written
/// only to sources of plugins with the capability ``Capability/keepsNotFound``.
public protocol WritableSource: Source {
    /// Stores `entry` for `key`, in place of what was there: whole, or not at all.
    ///
    /// Throws a ``SourceError`` of the kind ``SourceError/Kind-swift.enum/notKept`` when there is no room to keep it; what was there is forgotten
    /// all the same.
    func write(_ entry: Entry, for key: Key) async throws
    /// The most entries that ``write(_:)`` gets in one call.
    ///
    /// 1 unless implemented. More is for a source that stores many together in much less time than one after the other. It is asked once, when
    /// the source begins to be used; what is less than 1 counts as 1, and what is more than 4096 as 4096.
    var mostWrittenAtOnce: Int { get }
    /// Stores several entries of different keys, each as ``write(_:for:)`` does. Returns for each the error that would throw; nil where the
    /// entry is stored.
    ///
    /// The failure of one entry need not be that of the others. Writes one after the other unless implemented.
    func write(_ entries: [(entry: Entry, key: Key)]) async -> [(any Error)?]
    /// Gives the copy of `key` the times and the other metadata of `entry`, without writing its payload again. Returns whether it did.
    ///
    /// Nothing changes, and the result is false, when the copy is no longer `held`: another one took its place, or it is gone. Comparing and
    /// changing must be one step, also for other processes: new times on another payload would keep that payload for too long. A source that
    /// does not implement this writes the whole entry.
    ///
    /// - Parameters:
    ///   - held: the copy as ``Source/read(_:_:)`` gave it, identified by its payload, ``Entry/created`` and ``Entry/stored``. Its
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
    /// - Parameter limit: the most copies to list, at least 1; ``CacheContents`` says whether there are others.
    func contents(of pipeline: String, limit: Int) async throws -> CacheContents?
}

/// A cache that compares what it is given with what another process has stored meanwhile, in one step with the write.
package protocol ComparingSource: WritableSource {
    /// An entry to store, and when its load began; nil stores it in place of any.
    typealias Loaded = (entry: Entry, key: Key, begin: Timestamp?)

    /// Stores several entries of different keys, each as ``WritableSource/write(_:for:)`` does, but not in place of a copy that was stored
    /// since the load of the entry began, and created later: false for such an entry.
    func write(_ entries: [Loaded]) async -> [Result<Bool, any Error>]
}

extension WritableSource {
    /// 1: entries are written one at a time.
    public var mostWrittenAtOnce: Int { 1 }

    /// Writes one after the other.
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
    /// Nil: the source cannot tell which keys it holds.
    public func contents(of pipeline: String, limit: Int) async throws -> CacheContents? { nil }

    /// Writes all of the entry.
    public func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        try await write(entry, for: key)
        return true
    }
}
