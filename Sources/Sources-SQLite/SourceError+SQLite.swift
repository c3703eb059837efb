internal import GRDB
internal import Pipeline
internal import PipelineConfig

extension SourceError {
    /// The error for an action that failed, its database, and the reason.
    static func cannot(_ action: String, _ path: String, because reason: String) -> SourceError {
        SourceError("cannot \(action) \(shortened(path)): \(reason)")
    }

    /// The error for a failure of SQLite, in SQLite's words.
    static func cannot(_ action: String, _ path: String, _ error: DatabaseError, busyTimeout: Duration) -> SourceError {
        let start = "cannot \(action) \(shortened(path)): "
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return SourceError(start + "another process has held it for \(busyTimeout.written ?? "too long")", kind: .timeout, cause: error)
        case .SQLITE_READONLY where error.isOfLog:
            return SourceError(start + "SQLite keeps `-shm` and `-wal` beside it, and cannot write there", cause: error)
        case .SQLITE_READONLY: return SourceError(start + "it is read-only", cause: error)
        case .SQLITE_FULL: return SourceError(start + "the disk is full", cause: error)
        case .SQLITE_PERM, .SQLITE_AUTH: return SourceError(start + "permission denied", cause: error)
        case .SQLITE_CANTOPEN:
            return SourceError(start + (DiskFile(path: path).refusal ?? error.message ?? "it cannot be opened"), cause: error)
        case .SQLITE_MISUSE: return SourceError("the source is closed", cause: error)
        default: return SourceError(start + error.words, cause: error)
        }
    }

    /// A source that is used after its end.
    static let closed = SourceError("the source is closed")

    /// A database that is not this source's to use.
    static func refused(_ path: String, because reason: String, help: String = "name another file as `path`") -> SourceError {
        SourceError("cannot use \(shortened(path)): \(reason)", kind: .refused, help: help)
    }

    /// A database with tables that this version does not know.
    static func refusedAsNewer(_ path: String) -> SourceError {
        .refused(path, because: "a newer version of pipe-run made it", help: "use that version, or name another file as `path`")
    }

    /// The error for a query, where SQLite's words tell most.
    static func cannotQuery(_ path: String, _ error: DatabaseError, busyTimeout: Duration) -> SourceError {
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CANTOPEN, .SQLITE_MISUSE: return cannot("query", path, error, busyTimeout: busyTimeout)
        default: return cannot("query", path, because: error.words)
        }
    }

    /// The path of a long value, without its middle.
    private static func shortened(_ path: String) -> String {
        path.utf8.count > 400 ? "\(path.prefix(200))…\(path.suffix(100))" : path
    }
}

extension DatabaseError {
    /// Indicates whether the file is damaged, or no database at all.
    var isOfDamage: Bool { resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB }

    /// Indicates whether the task's cancellation is the reason: what an interruption ended, and a wait that it cut short.
    var isOfCancellation: Bool { Task.isCancelled && (isInterruptionError || resultCode == .SQLITE_BUSY) }

    /// SQLite's words.
    var words: String { message ?? "error \(extendedResultCode.rawValue)" }

    /// Indicates whether it is the log beside the file that cannot be written, which is needed also to read.
    fileprivate var isOfLog: Bool {
        [.SQLITE_READONLY_CANTINIT, .SQLITE_READONLY_CANTLOCK, .SQLITE_READONLY_DIRECTORY].contains(extendedResultCode)
    }
}
