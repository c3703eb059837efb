internal import GRDB
internal import GRDBSQLite
public import Pipeline
public import PipelineConfig

/// An origin whose values are the results of a query, of a database that is only read.
public final class SQLiteQuery: Source {
    let database: QueryDatabase
    let query: SQLQuery
    private let rows: QueryRows
    private let maxSize: Size
    let batch: QueryBatch?
    let clock: PipelineClock

    /// An origin of `query` over the database at `path`, which must be there when it is first read.
    ///
    /// - Parameters:
    ///   - rows: whether the value is an array of all rows, or the one row there is.
    ///   - busyTimeout: how long a read waits while another process holds the database.
    ///   - maxSize: the largest value; a larger one is an error, and so is a text, a blob or a row on the way that is larger.
    ///   - batch: the way in which several values are read with one query; nil if each is read alone.
    public init(
        path: DatabasePath, query: SQLQuery, rows: QueryRows = .many, busyTimeout: Duration = .seconds(5),
        maxSize: Size = Size(bytes: 64 << 20), batch: QueryBatch? = nil, clock: PipelineClock = .system
    ) {
        database = QueryDatabase(path: path, busyTimeout: busyTimeout, limits: QueryLimits(maxSize: maxSize))
        self.query = query
        self.rows = rows
        self.maxSize = maxSize
        self.batch = batch
        self.clock = clock
    }

    /// The rows for `key` as JSON. A parameter that the key has not is the empty text.
    public func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        let begin = clock.now
        guard let payload = try await result(of: query, with: try query.arguments(for: key), rows) else { return .notFound(created: begin) }
        return Entry(payload, created: begin, contentType: "application/json")
    }

    /// The rows of `query` as JSON; nil if there is not the one that there must be.
    func result(of query: SQLQuery, with values: [String: String], _ rows: QueryRows) async throws -> [UInt8]? {
        let arguments = StatementArguments(values)
        return try await database.read { [maxSize] db in
            let statement = try db.cachedStatement(sql: query.text)
            // Before anything is run.
            try QueryStatement(pointer: statement.sqliteStatement).expectQuery()
            var result = ResultText(maxSize: maxSize)
            let cursor = try Row.fetchCursor(statement, arguments: arguments)
            while try cursor.next() != nil {
                guard rows == .many || result.count == 0 else {
                    throw SourceError("the query gives more than one row; add `LIMIT 1` to it, or say `rows: many`")
                }
                try result.add(QueryStatement(pointer: statement.sqliteStatement))
            }
            return rows == .many ? [UInt8(ascii: "[")] + result.bytes + [UInt8(ascii: "]")] : result.count == 0 ? nil : result.bytes
        }
    }

    /// Opens the database.
    public func connect() async throws {
        try await database.read { _ in }
    }

    /// Closes the database. A statement that does not end within a second is left behind.
    public func close() async {
        await database.close(on: clock)
    }
}

/// The number of rows of a query that are the value.
public enum QueryRows: String, FieldChoice, Sendable {
    /// Every row, as the objects of an array; an empty array when there is none.
    case many
    /// The one row there is, as an object; none is `not_found`, and several are an error.
    case one
}

/// A prepared statement, as far as one has to look at it to know that it is a query.
struct QueryStatement {
    let pointer: OpaquePointer

    /// The names of the columns, in their order.
    var columns: [String] {
        (0..<sqlite3_column_count(pointer)).map { index in sqlite3_column_name(pointer, index).map { String(cString: $0) } ?? "" }
    }

    /// Throws unless the statement only reads, gives columns, and names each of them differently.
    func expectQuery() throws {
        guard sqlite3_stmt_readonly(pointer) != 0, sqlite3_column_count(pointer) > 0 else {
            throw SourceError("the query does not only read: it changes something, or returns no columns", kind: .refused)
        }
        var seen: Set<[UInt8]> = []
        for name in columns where !seen.insert(Array(name.utf8)).inserted {
            throw SourceError("the query gives two columns the name `\(name)`; rename one with `AS`", kind: .refused)
        }
    }
}

extension SQLiteQuery {
    /// One query for several rows, where `batch` says how.
    public var batching: Batching? {
        guard let batch, let parameter = batch.parameter else { return nil }
        return Batching(of: parameter, most: batch.max) { [self] keys, _ in
            let begin = clock.now
            let ids = keys.map { $0[parameter] ?? "" }
            // SQLite's texts end there: it would be the query for another value.
            let bound = ids.filter { !$0.utf8.contains(0) }
            guard let first = keys.first(where: { $0[parameter] == bound.first }), let last = bound.last else {
                return BatchAnswer(keys.map { _ in .failure(Self.brokenID(parameter)) })
            }
            // Few statements are prepared: what is left over of one is filled with an id that is there already.
            let count = min(batch.max, ids.count.roundedUpToPowerOfTwo)
            var values = try batch.query.arguments(for: first)
            for index in 1..<count { values[SQLQuery.name(ofValue: index)] = index < bound.count ? bound[index] : last }
            let result = try await result(of: batch.query(count: count), with: values, .many)
            let template = Entry([], created: begin, contentType: "application/json")
            let answer = try BatchAnswer(result ?? Array("[]".utf8), id: batch.id, of: parameter, for: keys, as: template)
            return BatchAnswer(
                zip(ids, answer.results).map { $0.utf8.contains(0) ? .failure(Self.brokenID(parameter)) : $1 }, ignored: answer.ignored)
        }
    }

    private static func brokenID(_ parameter: String) -> SourceError {
        SourceError("the value of `\(parameter)` has a NUL character in it")
    }
}

extension Int {
    /// The least power of two that is not less.
    fileprivate var roundedUpToPowerOfTwo: Int { self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}

extension SQLiteQuery {
    /// Opens the database and prepares the query; runs nothing. A query that cannot be prepared is refused.
    public func check() async throws -> Reachability {
        try Task.checkCancellation()
        guard !database.isClosed else { throw SourceError.closed }
        for query in [query] + (batch.map { [$0.query(count: 2)] } ?? []) {
            try await database.waiting { [database] wait in try Self.prepare(query, in: database, waiting: wait) }
        }
        return .reachable
    }

    private static func prepare(_ query: SQLQuery, in database: QueryDatabase, waiting wait: BusyWait) throws {
        let path = database.path
        guard try database.file.identity() != nil else { throw SourceError.cannot("open", path, because: "no such file or directory") }
        try database.file.expectReadable()
        let connection: LookingConnection
        do {
            connection = try LookingConnection(to: database.file, waiting: wait)
        } catch let error as DatabaseError {
            throw words(for: error, "open", path)
        }
        func failure() -> SourceError { words(for: connection.failure, "query", path) }
        try query.text.withCString { text in
            var rest: UnsafePointer<CChar>?
            var (first, second): (OpaquePointer?, OpaquePointer?)
            defer { for statement in [first, second] { sqlite3_finalize(statement) } }
            guard sqlite3_prepare_v2(connection.pointer, text, -1, &first, &rest) == SQLITE_OK, let first else { throw failure() }
            try QueryStatement(pointer: first).expectQuery()
            guard sqlite3_prepare_v2(connection.pointer, rest, -1, &second, nil) == SQLITE_OK, second == nil else {
                throw SourceError("the query is more than one statement", kind: .refused)
            }
        }
    }

    private static func words(for error: DatabaseError, _ action: String, _ path: String) -> SourceError {
        let words = error.message ?? "error \(error.resultCode.rawValue)"
        return switch error.resultCode {
        case .SQLITE_ERROR: SourceError(words, kind: .refused)
        case .SQLITE_BUSY: .cannot(action, path, because: "another process has it locked")
        default: .cannot(action, path, because: words)
        }
    }
}
