internal import GRDBSQLite
internal import Pipeline

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
