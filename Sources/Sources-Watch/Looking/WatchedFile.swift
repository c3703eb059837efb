internal import Dispatch
internal import Pipeline

/// Looks at one file, and has the system report what happens on the way to it.
final class WatchedFile: Sendable {
    /// Threads besides those of tasks: a file system may hang. They are few, whatever the number of files, and end when there is nothing to do.
    private static let queues = (0..<4).map { DispatchQueue(label: "pipe-run.watch.\($0)") }

    private let path: String
    private let watch: PathWatch

    init(_ path: String, _ watch: PathWatch) {
        self.path = path
        self.watch = watch
    }

    /// Looks. A look that hangs in the system is left alone when the task is cancelled.
    func look(_ depth: WatchState.Depth) async throws -> Sight {
        let race = Race<Sight>()
        let number = Int(UInt(bitPattern: path.hashValue) % UInt(Self.queues.count))
        Self.queues[number].async { race.finish(.success(self.lookNow(depth))) }
        return try await race.value()
    }

    /// Ends the reports.
    func close() { watch.close() }

    private func lookNow(_ depth: WatchState.Depth) -> Sight {
        // Each place is watched before it is looked at: what changes in between is reported, and what changed before is seen.
        let file = PathWalk.file(at: path) { watch.add($0) }
        watch.finishRound()
        guard let file else { return .absent }
        return FileSystem.sight(of: file, depth)
    }
}

/// The result of a look at a file.
enum Sight: Equatable, Sendable {
    /// No file that can be read.
    case absent
    /// A file. The checksum of its content is nil if only its identity was looked at.
    case file(FileIdentity, content: Int?)
    /// The file changed while it was read.
    case changing

    /// Indicates whether nothing is there that could be a value, as between two steps of saving.
    var isAbsent: Bool {
        switch self {
        case .absent: true
        case .file(let identity, _): identity.size == 0
        case .changing: false
        }
    }

    /// The identity of the file, as the system has it.
    var identity: FileIdentity? {
        guard case .file(let identity, _) = self else { return nil }
        return identity
    }
}

/// The identity of a file, as the system has it. It is another one after every change, as far as the clock of the file system can tell.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
    let size: Int
    /// The moment when the content changed, in nanoseconds.
    let modified: Int64
    /// The moment when anything about the file changed, in nanoseconds.
    let changed: Int64
}
