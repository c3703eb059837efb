/// A cache: a source that can also be written to.
///
/// The runner never writes or removes one key twice at the same time; different keys it does. An entry whose
/// ``Entry/payload`` is nil is written only to sources of plugins with the capability ``Capabilities/keepsNotFound``.
public protocol WritableSource: Source {
    /// Stores `entry` for `key`, in place of what was there. Whole or not at all.
    ///
    /// Throws ``NotKept`` when it is not to be kept, for want of room; what was there is forgotten then all the same.
    func write(_ entry: Entry, for key: Key) async throws
    /// Forgets `key`. Nothing to forget is no error.
    func remove(_ key: Key) async throws
    /// Forgets every key of `pipeline`, and only those.
    func clear(pipeline: String) async throws
}
