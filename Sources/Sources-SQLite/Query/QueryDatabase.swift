internal import GRDB
internal import GRDBSQLite
internal import Pipeline
internal import PipelineConfig
internal import Synchronization

/// A database of the user's, opened only to be read: at its first use, and anew when its file was replaced.
final class QueryDatabase: Sendable {
    private struct Opened: Sendable {
        let pool: DatabasePool
        let file: DiskFile.Identity
        /// Counts its files.
        let descriptors: DescriptorPermit
    }

    private enum State {
        case idle
        case open(Opened)
        case closed
    }

    private static let longestClosing = Duration.seconds(1)

    let path: String
    let file: DiskFile
    let busyTimeout: Duration
    private let limits: QueryLimits
    private let sqlitePath: String
    private let state = Mutex(State.idle)
    private let queue = OpeningQueue()

    init(path: DatabasePath, busyTimeout: Duration, limits: QueryLimits) {
        self.path = path.text
        file = DiskFile(path: path.text)
        sqlitePath = path.forSQLite
        self.busyTimeout = busyTimeout
        self.limits = limits
    }

    var isClosed: Bool { state.withLock { if case .closed = $0 { true } else { false } } }

    /// Returns the value of `body` in a transaction that only reads. A task that is cancelled interrupts its statement.
    func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        let pool = try await opened()
        do {
            return try await pool.read(body)
        } catch let error as DatabaseError {
            if error.isOfCancellation { throw CancellationError() }
            if error.resultCode == .SQLITE_TOOBIG { throw limits.tooLong }
            throw SourceError.cannotQuery(path, error, busyTimeout: busyTimeout)
        }
    }

    /// Lets `body` wait for the disk and for other processes, off the caller's thread.
    func waiting<Value: Sendable>(_ body: @escaping @Sendable (BusyWait) throws -> Value) async throws -> Value {
        try await queue.open(waiting: BusyWait(limit: busyTimeout), body)
    }

    /// Waits for a moment for the statements that run: some functions of SQLite take seconds, and heed no interruption.
    func close(on clock: PipelineClock) async {
        await queue.run(until: clock.now + Self.longestClosing, on: clock) {
            let before = self.state.withLock { state in
                defer { state = .closed }
                return state
            }
            if case .open(let opened) = before { try? opened.pool.close() }
        }
    }

    private func opened() async throws -> DatabasePool {
        let state = state.withLock { $0 }
        if case .closed = state { throw SourceError.closed }
        if case .open(let opened) = state, opened.file == (try file.identity()) { return opened.pool }
        return try await waiting { try self.open(waiting: $0) }
    }

    private func open(waiting wait: BusyWait) throws -> DatabasePool {
        guard let found = try file.identity() else { throw SourceError.cannot("open", path, because: "no such file or directory") }
        switch state.withLock({ $0 }) {
        case .closed: throw SourceError.closed
        case .open(let opened) where opened.file == found: return opened.pool
        // Those who still read the file that had the name before keep it open until they are done.
        case .open, .idle: break
        }
        let descriptors = try DescriptorBudget.process.take(CacheDatabase.descriptors)
        var configuration = Configuration()
        configuration.maximumReaderCount = CacheDatabase.readers
        configuration.label = "pipe-run.sqlite"
        configuration.readonly = true
        // GRDB's own setting would not be that of the readers.
        configuration.prepareDatabase { [limits] db in
            wait.wait(on: db.sqliteConnection)
            limits.apply(to: db.sqliteConnection)
        }
        do {
            let opened = Opened(
                pool: try DatabasePool(path: sqlitePath, configuration: configuration), file: found, descriptors: descriptors)
            state.withLock { $0 = .open(opened) }
            return opened.pool
        } catch let error as DatabaseError {
            throw SourceError.cannot("open", path, error, busyTimeout: busyTimeout)
        }
    }
}

/// The limits of a query on a connection.
struct QueryLimits: Sendable {
    /// Beside the largest value: what SQLite needs for its own texts, and for the numbers of a row.
    private static let room = 1 << 20

    /// The largest value.
    let maxSize: Size

    /// Has SQLite refuse longer texts and blobs, also those that functions would make, and rows of that length: nothing of a query takes
    /// more memory than that at once.
    func apply(to connection: OpaquePointer?) {
        let (length, overflow) = maxSize.bytes.addingReportingOverflow(Self.room)
        sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, overflow ? .max : Int32(clamping: length))
        // It gives addresses of this process away, and takes them.
        for count in [Int32(1), 2] {
            sqlite3_create_function_v2(
                connection, "fts3_tokenizer", count, SQLITE_UTF8, nil,
                { context, _, _ in sqlite3_result_error(context, "fts3_tokenizer is not available in queries", -1) }, nil, nil, nil)
        }
    }

    /// The error for a text, a blob or a row that is longer, which is in the result or on the way to it.
    var tooLong: SourceError {
        SourceError("the result is larger than max_size (\(maxSize.written ?? "\(maxSize.bytes)"))")
    }
}
