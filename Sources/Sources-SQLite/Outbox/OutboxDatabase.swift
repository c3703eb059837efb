internal import GRDB
internal import Pipeline
internal import PipelineConfig
internal import Synchronization

/// The database of an outbox: opened at its first use, and anew when its file was replaced.
///
/// One that is damaged, of a newer version or of another program is refused, and stays as it is: what waits in it is nowhere else.
final class OutboxDatabase: Sendable {
    /// The descriptors of an open database: the file, its log, the memory that processes share, and a journal.
    static let descriptors = 4

    private enum State {
        case idle
        case open(OutboxConnection)
        /// Found damaged while it was used.
        case damaged(DiskFile.Identity, SourceError)
        case closed
    }

    let path: String
    private let file: DiskFile
    private let sqlitePath: String
    private let owner: String
    private let isDurable: Bool
    private let busyTimeout: Duration
    private let sleep: BusyWait.Sleep
    private let state = Mutex(State.idle)
    private let queue = OpeningQueue()

    init(path: DatabasePath, owner: String, isDurable: Bool, busyTimeout: Duration, sleep: @escaping BusyWait.Sleep) {
        self.path = path.text
        file = DiskFile(path: path.text)
        sqlitePath = path.forSQLite
        self.owner = owner
        self.isDurable = isDurable
        self.busyTimeout = busyTimeout
        self.sleep = sleep
    }

    /// Returns the value of `body` in a transaction that only reads; nil if there is no database and none must be made.
    func read<Value: Sendable>(
        making: Bool = false, _ body: @Sendable (Database, OutboxConnection) throws -> Value
    ) async throws -> Value? {
        try Task.checkCancellation()
        guard let connection = try await connection(making: making) else { return nil }
        do {
            return try await connection.queue.read { db in try body(db, connection) }
        } catch {
            throw await failure(error, "read", connection)
        }
    }

    /// Returns the value of `body` in a transaction; nil if there is no database and none must be made.
    ///
    /// - Parameters:
    ///   - isDurable: whether it ends only when the disk has it, where the outbox is durable.
    ///   - body: is given nil, and sets it to the number of the transaction if it changes sends.
    func write<Value: Sendable>(
        making: Bool, isDurable: Bool = true, _ body: @Sendable (Database, OutboxConnection, inout Int64?) throws -> Value
    ) async throws -> Value? {
        try Task.checkCancellation()
        guard let connection = try await connection(making: making) else { return nil }
        do {
            return try await connection.write(isDurable: isDurable && self.isDurable) { db, change in try body(db, connection, &change) }
        } catch {
            throw await failure(error, "write", connection)
        }
    }

    /// Closes for good.
    func close() async {
        await queue.run {
            let before = self.state.withLock { state in
                defer { state = .closed }
                return state
            }
            if case .open(let connection) = before { connection.close() }
        }
    }

    private func connection(making: Bool) async throws -> OutboxConnection? {
        let state = state.withLock { $0 }
        if case .closed = state { throw SourceError.closed }
        let found = try file.identity()
        if case .open(let connection) = state, connection.file == found { return connection }
        guard making || found != nil else { return nil }
        return try await opening { try self.open(waiting: $0) }
    }

    /// Lets `body` wait for the disk and for other processes, off the caller's thread.
    private func opening<Value: Sendable>(_ body: @escaping @Sendable (BusyWait) throws -> Value) async throws -> Value {
        try await queue.open(waiting: BusyWait(limit: busyTimeout, sleep: sleep), body)
    }

    private func open(waiting wait: BusyWait) throws -> OutboxConnection {
        let found = try file.identity()
        switch state.withLock({ $0 }) {
        case .closed: throw SourceError.closed
        case .open(let connection) where connection.file == found: return connection
        case .damaged(let identity, let error) where identity == found: throw error
        case .open(let connection):
            // The file was moved or removed; what is open leads to the old one.
            state.withLock { $0 = .idle }
            connection.close()
        case .idle, .damaged: break
        }
        let descriptors = try DescriptorBudget.process.take(Self.descriptors)
        try file.makeFolder(onDisk: isDurable)
        let connection = try file.locked(waiting: wait) { try openLocked(descriptors, waiting: wait) }
        state.withLock { $0 = .open(connection) }
        return connection
    }

    /// Opens the database while no other process does: two that make the tables at once would be in each other's way.
    private func openLocked(_ descriptors: DescriptorPermit, waiting wait: BusyWait) throws -> OutboxConnection {
        let found = try file.identity()
        do {
            if found == nil { file.make(onDisk: isDurable) } else { try look(waiting: wait) { _ in } }
            let queue = try DatabaseQueue(path: sqlitePath, configuration: configuration(waiting: wait))
            let salt = try queue.writeWithoutTransaction { db in
                try OutboxSchema.make(in: db, at: path)
                return try SendTable.salt(in: db)
            }
            guard let identity = try file.identity() else { throw SourceError.cannot("use", path, because: "it was removed meanwhile") }
            guard let salt else { throw SourceError.notAsWritten(path, "the number for its hashes") }
            return OutboxConnection(
                queue, file: identity, salt: salt, owner: owner, isWaiting: isDurable, descriptors: descriptors)
        } catch let error as DatabaseError {
            // Of a file that is not there SQLite only says so, and not what keeps it from being made.
            if error.resultCode == .SQLITE_CANTOPEN, found == nil { try file.expectAccess() }
            throw refusal(error)
        }
    }

    private func configuration(waiting wait: BusyWait) -> Configuration {
        var configuration = Configuration()
        configuration.label = "pipe-run.outbox"
        configuration.prepareDatabase { [path, isDurable] db in
            // GRDB's own setting would not end with the task.
            wait.wait(on: db.sqliteConnection)
            // Before anything is written: the file can belong to another program.
            try OutboxSchema.expectOutbox(db, at: path)
            // Only Darwin's disks need to be told to write what they hold.
            try db.execute(
                sql: """
                    PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL"); PRAGMA cell_size_check = 1;
                    PRAGMA fullfsync = \(isDurable ? 1 : 0); PRAGMA checkpoint_fullfsync = \(isDurable ? 1 : 0)
                    """)
        }
        return configuration
    }
}

extension OutboxDatabase {
    /// Checks whether the database could be used, or made. Reads one that is there, and changes nothing.
    func check() async throws -> Reachability {
        let state = state.withLock { $0 }
        if case .closed = state { throw SourceError.closed }
        if case .damaged(let identity, let error) = state, identity == (try file.identity()) { throw error }
        try file.expectAccess()
        // One that is open has been looked at.
        if case .open = state { return .reachable }
        guard try file.identity() != nil else {
            return try file.isWithoutRoom() ? .untried("its file system does not say whether \(path) can be made") : .reachable
        }
        return try await opening { wait in
            try self.file.locked(waiting: wait) { try self.look(waiting: wait) { try $0.expectSound() } }
            return .reachable
        }
    }

    /// Looks at the file, without leaving anything in it or beside it, before another connection might.
    private func look(waiting wait: BusyWait, _ body: (LookingConnection) throws -> Void) throws {
        // Only a writer can put back what a process had in its journal when it was killed while it made the tables.
        guard try DiskFile(path: path + "-journal").identity() == nil else { return }
        do {
            let connection = try LookingConnection(to: file, waiting: wait)
            try OutboxSchema.expectOutbox(connection, at: path)
            try body(connection)
        } catch let error as DatabaseError {
            throw refusal(error)
        }
    }

    /// The error that a caller gets for `error`.
    private func failure(_ error: any Error, _ action: String, _ connection: OutboxConnection) async -> any Error {
        guard let error = error as? DatabaseError else { return error }
        if error.isOfCancellation { return CancellationError() }
        guard error.isOfDamage else { return SourceError.cannot(action, path, error, busyTimeout: busyTimeout) }
        return await queue.run { self.giveUp(connection, because: error) }
    }

    /// Refuses the file from now on: a part of it may be sound, but what is written there might not be found again.
    private func giveUp(_ connection: OutboxConnection, because error: DatabaseError) -> SourceError {
        let refusal = refusal(error)
        let isCurrent = state.withLock { state in
            guard case .open(let current) = state, current === connection else { return false }
            state = .damaged(connection.file, refusal)
            return true
        }
        if isCurrent { connection.close() }
        return refusal
    }

    /// The error for a database that cannot be opened, or is damaged.
    private func refusal(_ error: DatabaseError) -> SourceError {
        guard error.isOfDamage else { return .cannot("open", path, error, busyTimeout: busyTimeout) }
        if let reason = DatabaseHeader.refusal(ofFileAt: sqlitePath, unlessMadeBy: OutboxSchema.applicationID) {
            return .refused(
                path, because: "\(reason); it stays as it is",
                help: "put a copy of the outbox in its place, or name another file as `path`; without the file, a new one is made")
        }
        return SourceError(
            "\(path) is damaged (\(error.words)); it stays as it is", kind: .invalid,
            help: "`.recover` of the program `sqlite3` may save what waits in it; without the file, a new one is made", cause: error)
    }
}
