internal import GRDB
public import Pipeline

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
    ///   - batch: how several values are read with one query; nil where each is read alone.
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

    /// The rows of `query` as JSON; nil where there is not the one that there must be.
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
