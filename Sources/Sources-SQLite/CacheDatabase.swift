internal import GRDB
internal import Pipeline
internal import PipelineConfig
internal import Synchronization

/// The database of a cache: opened at its first use, opened anew when its file was replaced, set aside when it is damaged.
final class CacheDatabase: Sendable {
    /// The open database, and the identity of its file: the name can be given to another one at any time.
    struct Opened: Sendable {
        let pool: DatabasePool
        let file: DiskFile.Identity
        /// Indicates whether it was opened beside a process that writes, and only to be read.
        var isReadOnly = false
        /// Counts its files.
        var descriptors: DescriptorPermit?
    }

    /// The most connections that read: fewer where there are few descriptors. Each has the database and its log open.
    static let readers = max(1, min(5, DescriptorBudget.process.most / 16))
    /// The descriptors of an open database.
    static let descriptors = 3 + 2 * readers

    enum State {
        case idle
        case open(Opened)
        case closed
    }

    let path: String
    let file: DiskFile
    let clock: PipelineClock
    let state = Mutex(State.idle)
    let sqlitePath: String
    private let isDurable: Bool
    private let busyTimeout: Duration
    private let sleep: BusyWait.Sleep
    private let queue = OpeningQueue()

    init(path: DatabasePath, isDurable: Bool, busyTimeout: Duration, clock: PipelineClock, sleep: @escaping BusyWait.Sleep) {
        self.path = path.text
        file = DiskFile(path: path.text)
        sqlitePath = path.forSQLite
        self.isDurable = isDurable
        self.busyTimeout = busyTimeout
        self.sleep = sleep
        self.clock = clock
    }

    /// Returns the value of `body` in a transaction that only reads; nil if there is no database.
    ///
    /// On the calling thread: a row is found in the system's page cache in less time than a change of threads costs, and readers wait for
    /// no writer. Where they have to wait after all, for a recovery, the wait ends with the task.
    func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value? {
        try Task.checkCancellation()
        guard let opened = try await opened(making: false, toWrite: false) else { return nil }
        do {
            return try Self.readNow(opened.pool, body)
        } catch {
            throw await failure(error, "read", opened)
        }
    }

    /// Reads on the calling thread: not async, so that it is not the driver's read on another thread.
    private static func readNow<Value>(_ pool: DatabasePool, _ body: (Database) throws -> Value) throws -> Value {
        try pool.read(body)
    }

    /// Returns the value of `body` in a transaction; nil if there is no database and none must be made.
    func write<Value: Sendable>(making: Bool, _ body: @Sendable (Database) throws -> Value) async throws -> Value? {
        try Task.checkCancellation()
        guard let opened = try await opened(making: making, toWrite: true) else { return nil }
        do {
            return try await opened.pool.write(body)
        } catch {
            throw await failure(error, "write", opened)
        }
    }

    /// Closes for good, after `body` in a last transaction if the database is open.
    func close(_ body: @Sendable @escaping (Database) throws -> Void) async {
        await queue.run {
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

    private func opened(making: Bool, toWrite: Bool) async throws -> Opened? {
        let state = state.withLock { $0 }
        if case .closed = state { throw SourceError.closed }
        let found = try file.identity()
        if case .open(let opened) = state, opened.file == found, !(toWrite && opened.isReadOnly) { return opened }
        guard making || found != nil else { return nil }
        return try await opening { try self.open(toWrite: toWrite, waiting: $0) }
    }

    /// Lets `body` wait for the disk and for other processes, off the caller's thread.
    func opening<Value: Sendable>(_ body: @escaping @Sendable (BusyWait) throws -> Value) async throws -> Value {
        try await queue.open(waiting: BusyWait(limit: busyTimeout, sleep: sleep), body)
    }

    private func open(toWrite: Bool, waiting wait: BusyWait) throws -> Opened {
        let found = try file.identity()
        switch state.withLock({ $0 }) {
        case .closed: throw SourceError.closed
        case .open(let opened) where opened.file == found && !(toWrite && opened.isReadOnly): return opened
        // Those who read keep it open until they are done.
        case .open(let opened) where opened.isReadOnly: break
        case .open(let opened):
            // The file was moved or removed; what is open leads to the old one.
            state.withLock { $0 = .idle }
            Self.close(opened.pool)
        case .idle: break
        }
        let descriptors = try DescriptorBudget.process.take(Self.descriptors)
        try file.makeFolder()
        var opened = try toWrite ? openToWrite(waiting: wait) : openToRead(waiting: wait)
        opened.descriptors = descriptors
        state.withLock { $0 = .open(opened) }
        return opened
    }

    /// Opens the database while no other process does: two that make the tables at once would be in each other's way.
    private func openToWrite(waiting wait: BusyWait) throws -> Opened {
        try file.locked(waiting: wait) { try openLocked(waiting: wait) }
    }

    /// Opens without a wait for a process that writes or opens it. While nothing stands in the log, GRDB opens a pool with a write of its
    /// own; a database with all its tables can be read without.
    private func openToRead(waiting wait: BusyWait) throws -> Opened {
        do {
            return try wait.hurrying { try openToWrite(waiting: wait) }
        } catch let error as SourceError where error.kind == .timeout {
            return try wait.hurrying { openedReadOnly(waiting: wait) } ?? openToWrite(waiting: wait)
        }
    }

    /// Opens to read; nil for a database that only a writer can use, as one whose tables are missing, and for any problem: while another
    /// process makes the tables, it can look like a database of something else. Opening it alone gives the right message.
    private func openedReadOnly(waiting wait: BusyWait) -> Opened? {
        var configuration = configuration(waiting: wait)
        configuration.readonly = true
        guard let found = try? file.identity(), let pool = try? DatabasePool(path: sqlitePath, configuration: configuration),
            (try? CacheSchema.isWhole(pool, at: path)) == true, (try? file.identity()) == found
        else { return nil }
        return Opened(pool: pool, file: found, isReadOnly: true)
    }

    private func openLocked(waiting wait: BusyWait) throws -> Opened {
        let found = try file.identity()
        // SQLite itself would let the group and others read it.
        if found == nil { file.make() }
        do {
            let pool = try DatabasePool(path: sqlitePath, configuration: configuration(waiting: wait))
            try CacheSchema.migrate(pool, at: path)
            if isDurable { try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") } }
            guard let identity = try file.identity() else { throw SourceError.cannot("use", path, because: "it was removed meanwhile") }
            return Opened(pool: pool, file: identity)
        } catch let error as DatabaseError where error.isOfDamage {
            throw setAside(found, because: error)
        } catch let error as DatabaseError {
            // Of a file that is not there SQLite only says so, and not what keeps it from being made.
            if error.resultCode == .SQLITE_CANTOPEN, found == nil { try file.expectAccess() }
            throw cannotOpen(error)
        }
    }

    private func configuration(waiting wait: BusyWait) -> Configuration {
        var configuration = Configuration()
        configuration.label = "pipe-run.sqlite"
        configuration.maximumReaderCount = Self.readers
        configuration.prepareDatabase { [path] db in
            // GRDB's own setting would not be that of the readers.
            wait.wait(on: db.sqliteConnection)
            // Before anything is written: the file can belong to another program.
            try CacheSchema.expectCache(db, at: path)
        }
        return configuration
    }

    func cannotOpen(_ error: DatabaseError) -> SourceError { .cannot("open", path, error, busyTimeout: busyTimeout) }

    /// The error that a caller gets for `error`.
    private func failure(_ error: any Error, _ action: String, _ opened: Opened) async -> any Error {
        guard let error = error as? DatabaseError else { return error }
        if error.isOfCancellation { return CancellationError() }
        guard error.isOfDamage else {
            forgetReadOnly(opened)
            return SourceError.cannot(action, path, error, busyTimeout: busyTimeout)
        }
        return await queue.run { self.giveUp(opened, because: error) }
    }

    /// Has the next use open a database anew that was opened to be read alone: only a writer can
    /// put right what a killed process left in the log.
    private func forgetReadOnly(_ opened: Opened) {
        guard opened.isReadOnly else { return }
        state.withLock { state in
            if case .open(let current) = state, current.pool === opened.pool { state = .idle }
        }
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
            return try file.locked(waiting: BusyWait(limit: busyTimeout, sleep: sleep)) { setAside(opened.file, because: error) }
        } catch {
            return error as? SourceError ?? SourceError("cannot set aside \(path)", cause: error)
        }
    }

    /// The connection that writes last: only that one can put what stands in the log into the database, and remove the log.
    private static func close(_ pool: DatabasePool) {
        pool.invalidateReadOnlyConnections()
        try? pool.close()
    }
}

extension CacheDatabase {
    /// Checks whether the database could be used, or made: opens it as a read does, and changes nothing.
    func check() async throws {
        let state = state.withLock { $0 }
        if case .closed = state { throw SourceError.closed }
        try file.expectAccess()
        // One that is open has been looked at.
        guard case .idle = state, try file.identity() != nil else { return }
        try await opening { wait in try self.file.locked(waiting: wait) { try self.look(waiting: wait) } }
    }

    /// Looks at the file while the folder is locked, so that no process begins to write.
    private func look(waiting wait: BusyWait) throws {
        do {
            try CacheSchema.expectUsable(LookingConnection(to: file, waiting: wait), at: path)
        } catch let error as DatabaseError where error.isOfDamage {
            if let refusal = refusal() { throw refusal }
            throw SourceError("\(path) is damaged (\(error.words)); the next use sets it aside", kind: .invalid, cause: error)
        } catch let error as DatabaseError {
            throw cannotOpen(error)
        }
    }
}
