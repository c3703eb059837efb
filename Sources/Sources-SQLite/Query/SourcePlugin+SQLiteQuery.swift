public import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// The plugin behind `type: sqlite_query`.
    public static let sqliteQuery = SourcePlugin(
        "sqlite_query", summary: "Asks a query of an SQLite database, which it only reads.", capabilities: [.neverMisses],
        fields: Field<DatabasePath>("path", "The file of the database, the same for every key.", example: "friends.db").role(.address),
        Field<SQLQuery>(
            "query", "One statement that reads; it takes parameters as values: `WHERE id = :user`.",
            example: "SELECT id, name FROM friends ORDER BY id"),
        Field(
            "rows", default: QueryRows.many,
            "Whether the value is an array of all rows, or the one row there is; no row is not_found then, and a second an error."),
        Field("busy_timeout", default: Duration.seconds(5), "How long to wait while somebody else holds the database."),
        Field(
            "max_size", default: Size.mebibytes(64), range: Size(bytes: 1)...,
            "The largest result to read, as JSON; no text or blob of the query may be larger.")
    ) { (context, path: DatabasePath, query: SQLQuery, rows: QueryRows, busyTimeout, maxSize) -> any Source in
        SQLiteQuery(path: path, query: query, rows: rows, busyTimeout: busyTimeout, maxSize: maxSize, clock: context.clock)
    }
}
