internal import Pipeline
internal import Synchronization

/// Remembers in which folders the temporary files of dead processes were removed.
final class SweptFolders: Sendable {
    /// Beyond this number folders are forgotten, and swept again.
    private static let limit = 4096

    private let paths = Mutex<Set<String>>([])

    /// Sweeps `folder` unless that was done before.
    func sweepOnce(_ path: String) {
        let isFirst = paths.withLock { paths in
            if paths.count >= Self.limit { paths = [] }
            return paths.insert(path).inserted
        }
        guard isFirst, let folder = try? Folder(path) else { return }
        TemporaryFile.sweepLeftovers(in: folder)
    }
}
