public import Pipeline

/// A cache whose copies are files: each payload a file of its own, which people can read, edit and compare.
///
/// What is known of a payload stands next to it in a hidden file, `.NAME.meta`. When a payload was changed by other hands,
/// that no longer applies: its file's time counts as the time when it was created and stored. Several processes may
/// use the same files.
///
/// Reads happen on the calling thread: they are answered from the system's page cache in microseconds, less than a
/// change of threads costs. Everything that may wait for the disk happens on threads of its own.
public final class FileSource: WritableSource, SynchronousSource {
    let layout: FileLayout
    let maxSize: Size
    let reader: CopyReader
    let writer: CopyWriter
    let bound: SpaceBound?
    let swept = SweptFolders()
    let evicted: @Sendable (Key?) -> Void

    /// A cache in the files that `path` gives. Nothing is read or made before the first use.
    ///
    /// - Parameters:
    ///   - isDurable: whether a write ends only when the disk has it.
    ///   - maxSize: the largest payload that is read or written; a larger one is an error.
    ///   - maxEntries: the most copies to keep, the least recently used go; 0 keeps none.
    ///   - maxBytes: the most bytes of payload to keep; a payload that is larger alone is not kept.
    ///   - evicted: is told of each copy that goes to keep within these; never with a key, since the file's name is all that is kept of it.
    public convenience init(
        path: PathTemplate, isDurable: Bool = false, maxSize: Size = .mebibytes(64), maxEntries: Int? = nil,
        maxBytes: Size? = nil, clock: PipelineClock = .system, evicted: @escaping @Sendable (Key?) -> Void = { _ in }
    ) {
        self.init(
            path: path, isDurable: isDurable, maxSize: maxSize, maxEntries: maxEntries, maxBytes: maxBytes, clock: clock,
            evicted: evicted, before: nil)
    }

    /// The same, with something that happens before each step.
    init(
        path: PathTemplate, isDurable: Bool = false, maxSize: Size = .mebibytes(64), maxEntries: Int? = nil,
        maxBytes: Size? = nil, clock: PipelineClock, evicted: @escaping @Sendable (Key?) -> Void = { _ in }, before: FileStepHook?
    ) {
        self.evicted = evicted
        layout = FileLayout(path)
        self.maxSize = maxSize
        let sidecars = SidecarReader(before: before)
        reader = CopyReader(
            layout: layout, payloads: PayloadReader(maxSize: maxSize, before: before), sidecars: sidecars, table: CopyTable(),
            clock: clock)
        writer = CopyWriter(isDurable: isDurable, stamps: StampSource(clock: clock), sidecars: sidecars, before: before)
        bound = SpaceBound(maxEntries: maxEntries, maxBytes: maxBytes)
    }

    /// The copy in the file of `key`, or nil when there is no file, or it holds the copy of another key.
    public func readNow(_ key: Key) throws -> Entry? {
        guard let (entry, path) = try reader.read(key) else { return nil }
        if let bound {
            bound.read(path, size: entry.payload?.count ?? 0)
            LastUse.set(writer.stamps.next(), of: path)
        }
        return entry
    }

    /// Writes the file of `key` anew, whole or not at all. Once begun, it is not cancelled. Throws `NotKept` for a payload that is larger
    /// than the bound by itself.
    public func write(_ entry: Entry, for key: Key) async throws {
        try Task.checkCancellation()
        try await DiskExecutor.shared.run { try self.writeNow(entry, for: key) }
    }

    /// Replaces the metadata next to the file of `key`, where the file is still that of `held`; the file itself is not touched.
    public func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        try Task.checkCancellation()
        return try await DiskExecutor.shared.run { try self.renewNow(held, as: entry, for: key) }
    }

    /// Unlinks the file of `key`.
    public func remove(_ key: Key) async throws {
        try Task.checkCancellation()
        try await DiskExecutor.shared.run { try self.removeNow(key) }
    }

    /// Unlinks the files of every key of `pipeline`, and removes the folders that are empty then.
    ///
    /// A file that the template gives only for keys of other pipelines stays, and so does one whose metadata names another.
    public func clear(pipeline: String) async throws {
        try Task.checkCancellation()
        try await DiskExecutor.shared.run { try self.clearNow(pipeline) }
    }
}
