public import Pipeline
public import PipelineConfig

/// A cache whose copies are files: each payload a file of its own, which people can read, edit and compare.
///
/// What is known of a payload stands next to it in a hidden file, `.NAME.meta`. When a payload was changed by other hands,
/// that no longer applies: its file's time counts as the time when it was created and stored. Several processes may
/// use the same files.
///
/// ``peek(_:)`` happens on the calling thread: it is answered from the system's page cache in microseconds, less than a change of threads
/// costs, and waits for no lock. Everything else happens on threads of its own, and a call that waits for a folder that others change takes
/// no thread.
public final class FileSource: WritableSource {
    let layout: FileLayout
    let maxSize: Size
    let reader: CopyReader
    let writer: CopyWriter
    let bound: SpaceBound?
    let locks: FolderLocks
    let swept = SweptFolders()
    let evicted: @Sendable (Key?) -> Void
    let clock: PipelineClock

    /// A cache in the files that `path` gives. Nothing is read or made before the first use.
    ///
    /// - Parameters:
    ///   - isDurable: whether a write ends only when the disk has it.
    ///   - maxSize: the largest payload that is read or written; a larger one is an error.
    ///   - maxEntries: the most copies to keep, the least recently used go; 0 keeps none.
    ///   - maxBytes: the most bytes of payload to keep; a payload that is larger alone is not kept.
    ///   - mode: who may read and write new files, and use the folders that are made for them.
    ///   - evicted: receives each copy removed to keep within these bounds; never with a key, since only the file's name is kept of it.
    public convenience init(
        path: PathTemplate, isDurable: Bool = false, maxSize: Size = Size(bytes: 64 << 20), maxEntries: Int? = nil,
        maxBytes: Size? = nil, mode: FileMode = .ownerOnly, clock: PipelineClock = .system,
        evicted: @escaping @Sendable (Key?) -> Void = { _ in }
    ) {
        self.init(
            path: path, isDurable: isDurable, maxSize: maxSize, maxEntries: maxEntries, maxBytes: maxBytes, mode: mode, clock: clock,
            evicted: evicted, before: nil)
    }

    /// The same, with a hook before each step.
    init(
        path: PathTemplate, isDurable: Bool = false, maxSize: Size = Size(bytes: 64 << 20), maxEntries: Int? = nil,
        maxBytes: Size? = nil, mode: FileMode = .ownerOnly, clock: PipelineClock,
        evicted: @escaping @Sendable (Key?) -> Void = { _ in }, before: FileStepHook?
    ) {
        self.evicted = evicted
        self.clock = clock
        layout = FileLayout(path)
        self.maxSize = maxSize
        let sidecars = SidecarReader(before: before)
        reader = CopyReader(
            layout: layout, payloads: PayloadReader(maxSize: maxSize, before: before), sidecars: sidecars, table: CopyTable(),
            clock: clock)
        writer = CopyWriter(
            isDurable: isDurable, mode: mode, stamps: StampSource(clock: clock), sidecars: sidecars, before: before)
        locks = FolderLocks(clock: clock)
        bound = SpaceBound(maxEntries: maxEntries, maxBytes: maxBytes)
    }

    /// ``ReadStyle/onThread``.
    public var style: ReadStyle { .onThread }

    /// The copy in the file of `key`, or nil when there is no file, or it holds the copy of another key.
    public func peek(_ key: Key) throws -> Entry? {
        guard let (entry, path) = try reader.read(key) else { return nil }
        if let bound {
            bound.read(path, size: entry.payload?.count ?? 0)
            LastUse.set(writer.stamps.next(), of: path)
        }
        return entry
    }

    /// The same, off the calling thread, so that a time limit holds when the disk hangs.
    public func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        try Task.checkCancellation()
        return try await DiskExecutor.shared.run { try self.peek(key) }
    }
}
