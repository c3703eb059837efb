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
public final class FileSource: WritableSource, ComparingSource {
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

    /// Makes the source with a hook before each step.
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

    /// `ReadStyle.onThread`.
    public var style: ReadStyle { .onThread }

    /// The copy in the file of `key`, or nil if there is no file, or it holds the copy of another key.
    public func peek(_ key: Key) throws -> Entry? {
        guard let (entry, path) = try reader.read(key) else { return nil }
        if let bound {
            bound.read(path, size: entry.payload?.count ?? 0)
            LastUse.set(writer.stamps.next(), of: path)
        }
        return entry
    }

    /// Reads off the calling thread, so that a time limit holds when the disk hangs.
    public func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        try Task.checkCancellation()
        return try await DiskExecutor.shared.run { try self.peek(key) }
    }
}

extension FileSource {
    /// Checks that files can be made in the folder; where it is missing, in the nearest folder above it that exists.
    ///
    /// Asks the system for permissions, and opens, makes and writes nothing.
    public func check() async throws -> Reachability {
        try Task.checkCancellation()
        try await DiskExecutor.shared.run { try self.checkNow() }
        return .reachable
    }

    private func checkNow() throws {
        let folder = try nearestFolder()
        do {
            try FileAccess.toMakeFiles(in: folder)
        } catch {
            throw SourceError.cannot("write into", folder, error)
        }
        guard layout.template.isConstant else { return }
        let path = try layout.path(for: Key(pipeline: "check"))
        do {
            guard try FileStatus(of: path).kind != .folder else { throw SourceError.cannot("use", path, because: "it is a folder") }
            try FileAccess.toRead(path)
        } catch let failure as SystemFailure {
            if !failure.isMissing { throw SourceError.cannot("read", path, failure) }
        }
    }

    /// The folder of the files, or the first above it that exists.
    private func nearestFolder() throws -> String {
        var path = layout.root
        while true {
            do {
                guard try FileStatus(of: path).kind == .folder else { throw SourceError.cannot("use", path, because: "it is not a folder") }
                return path
            } catch let failure as SystemFailure {
                let parent = Folder.parent(of: path)
                guard failure.isMissing, parent != path else { throw SourceError.cannot("use", path, failure) }
                path = parent
            }
        }
    }
}

extension FileSource {
    /// Lists the copies of `pipeline` by their sidecars. A file that was edited by hand is listed with its own time. A file that is no copy is
    /// only counted.
    public func contents(of pipeline: String, limit: Int) async throws -> CacheContents? {
        try Task.checkCancellation()
        return try await DiskExecutor.shared.run { try self.contentsNow(of: pipeline, limit: limit) }
    }

    private func contentsNow(of pipeline: String, limit: Int) throws -> CacheContents {
        let used = reader.table.paths(of: pipeline)
        var copies: [CacheContents.Copy] = []
        var foreign = 0
        for path in try places(of: pipeline) {
            try Task.checkCancellation()
            guard let status = try? FileStatus(of: path, following: false), status.kind != .folder else { continue }
            switch try ownership(of: path, as: pipeline, used: used) {
            case .foreign: foreign += 1
            case .own where copies.count <= limit: if let copy = try copy(at: path, status) { copies.append(copy) }
            case .own, .another: break
            }
        }
        return CacheContents(copies, limit: limit, foreign: foreign)
    }

    private func places(of pipeline: String) throws -> [String] {
        guard !layout.template.isConstant else { return [try layout.path(for: Key(pipeline: pipeline, parameters: []))] }
        var places: [String] = []
        try FolderWalk.forEachFolder(of: layout) { stop in
            places += self.places(in: stop, of: pipeline)
            return false
        }
        return places.sorted()
    }

    /// The copy at `path`; nil if it cannot be used.
    private func copy(at path: String, _ status: FileStatus) throws -> CacheContents.Copy? {
        guard status.kind == .regular else { return nil }
        let time = Timestamp(nanoseconds: status.modified)
        let unknown = Entry([], created: time, stored: time)
        switch try reader.sidecars.read(besidePayload: path)?.finding(for: status.identity) ?? .nothing {
        case .torn: return nil
        case .nothing: return CacheContents.Copy(key: nil, place: path, entry: unknown, size: status.size)
        case .record(let record):
            guard let key = Key(text: record.key) else { return nil }
            return CacheContents.Copy(key: key, place: path, entry: clock.restored(record.entry), size: status.size)
        }
    }
}
