internal import Pipeline
internal import Synchronization

/// Remembers where the temporary files of dead processes were looked for.
final class SweptFolders: Sendable {
    /// More folders than this are forgotten, and looked through again.
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
