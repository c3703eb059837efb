internal import GRDBSQLite
internal import Pipeline
internal import PipelineConfig

/// What a query may do on a connection.
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

    /// Of a text, a blob or a row that is longer, which is in the result or on the way to it.
    var tooLong: SourceError {
        SourceError("the result is larger than max_size (\(maxSize.written ?? "\(maxSize.bytes)"))")
    }
}
