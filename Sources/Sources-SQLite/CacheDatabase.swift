internal import Dispatch
internal import GRDB
internal import Pipeline
internal import Synchronization

/// The database of a cache: opened at its first use, opened anew when its file was replaced, set aside when it is damaged.
final class CacheDatabase: Sendable {
    /// What is open, and which file that is: the name can be given to another one at any time.
    struct Opened: Sendable {
        let pool: DatabasePool
        let file: DiskFile.Identity
    }

    enum State {
        case idle
        case open(Opened)
        case closed
    }

    let path: String
    let file: DiskFile
    let clock: PipelineClock
    let state = Mutex(State.idle)
    private let sqlitePath: String
    private let isDurable: Bool
    private let busyTimeout: Duration
    /// Opening, closing and setting aside wait for the disk and for other processes: one at a time, and not on a thread of the caller.
    private let queue = DispatchQueue(label: "pipe-run.sqlite")

    init(path: DatabasePath, isDurable: Bool, busyTimeout: Duration, clock: PipelineClock) {
        self.path = path.text
        file = DiskFile(path: path.text)
        sqlitePath = path.forSQLite
        self.isDurable = isDurable
        self.busyTimeout = busyTimeout
        self.clock = clock
    }

    /// What `body` gives in a transaction that only reads; nil when there is no database.
    func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value? {
        try Task.checkCancellation()
        guard let opened = try await opened(making: false) else { return nil }
        do {
            return try await opened.pool.read(body)
        } catch {
            throw await failure(error, "read", opened)
        }
    }

    /// What `body` gives in a transaction; nil when there is no database and none is to be made.
    func write<Value: Sendable>(making: Bool, _ body: @Sendable (Database) throws -> Value) async throws -> Value? {
        try Task.checkCancellation()
        guard let opened = try await opened(making: making) else { return nil }
        do {
            return try await opened.pool.write(body)
        } catch {
            throw await failure(error, "write", opened)
        }
    }

    /// Closes for good, after `body` in a last transaction if the database is open.
    func close(_ body: @Sendable @escaping (Database) throws -> Void) async {
        await onQueue {
            let before = self.state.withLock { state in
                defer { state = .closed }
                return state
            }
            guard case .open(let opened) = before else { return }
            // It holds hints: they are not worth a failure.
            try? opened.pool.write(body)
            Self.close(opened.pool)
        }
    }

    private func opened(making: Bool) async throws -> Opened? {
        let state = state.withLock { $0 }
        if case .closed = state { throw SourceError("the source is closed") }
        let found = try file.identity()
        if case .open(let opened) = state, opened.file == found { return opened }
        guard making || found != nil else { return nil }
        return try await onQueue { Result { try self.open() } }.get()
    }

    private func open() throws -> Opened {
        let found = try file.identity()
        switch state.withLock({ $0 }) {
        case .closed: throw SourceError("the source is closed")
        case .open(let opened) where opened.file == found: return opened
        case .open(let opened):
            // Somebody moved or removed the file; what is open leads to the old one.
            state.withLock { $0 = .idle }
            Self.close(opened.pool)
        case .idle: break
        }
        try file.makeFolder()
        let opened = try file.locked { try openLocked() }
        state.withLock { $0 = .open(opened) }
        return opened
    }

    /// Opens the database while no other process does: two that make the tables at once would be in each other's way.
    private func openLocked() throws -> Opened {
        let found = try file.identity()
        do {
            let pool = try DatabasePool(path: sqlitePath, configuration: configuration)
            try CacheSchema.migrate(pool, at: path)
            if isDurable { try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") } }
            guard let identity = try file.identity() else { throw SourceError.cannot("use", path, because: "it was removed meanwhile") }
            return Opened(pool: pool, file: identity)
        } catch let error as DatabaseError where error.isOfDamage {
            throw setAside(found, because: error)
        } catch let error as DatabaseError {
            throw SourceError.cannot("open", path, error, busyTimeout: busyTimeout)
        }
    }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "pipe-run.sqlite"
        // GRDB's own setting would not be that of the readers.
        let milliseconds = Int32(clamping: Int64(min(busyTimeout, .seconds(1_000_000)) / .milliseconds(1)))
        // Before anything is written: the file can be somebody else's.
        configuration.prepareDatabase { [path] db in
            try db.execute(sql: "PRAGMA busy_timeout = \(milliseconds)")
            try CacheSchema.expectCache(db, at: path)
        }
        return configuration
    }

    /// What a caller is told about `error`.
    private func failure(_ error: any Error, _ action: String, _ opened: Opened) async -> any Error {
        guard let error = error as? DatabaseError else { return error }
        if error.isInterruptionError, Task.isCancelled { return CancellationError() }
        guard error.isOfDamage else { return SourceError.cannot(action, path, error, busyTimeout: busyTimeout) }
        return await onQueue { self.giveUp(opened, because: error) }
    }

    /// Closes a damaged database and sets it aside, unless another reader has done so.
    private func giveUp(_ opened: Opened, because error: DatabaseError) -> SourceError {
        let isCurrent = state.withLock { state in
            guard case .open(let current) = state, current.file == opened.file else { return false }
            state = .idle
            return true
        }
        if isCurrent { Self.close(opened.pool) }
        do {
            return try file.locked { setAside(opened.file, because: error) }
        } catch {
            return error as? SourceError ?? SourceError("cannot set aside \(path)", cause: error)
        }
    }

    /// The connection that writes last: only that one can put what stands in the log into the database, and remove the log.
    private static func close(_ pool: DatabasePool) {
        pool.invalidateReadOnlyConnections()
        try? pool.close()
    }

    private func onQueue<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }
}
