internal import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// The plugin behind `type: sqlite_query`.
    public static let sqliteQuery = SourcePlugin(
        origin: "sqlite_query", summary: "Runs a read-only query against an SQLite database.", capabilities: [.neverMisses],
        fields: Field<DatabasePath>("path", "The database file, the same for every key.", example: "friends.db").role(.address),
        Field<SQLQuery>(
            "query", "A single read-only statement. Parameters are bound as values: `WHERE id = :user`.",
            example: "SELECT id, name FROM friends ORDER BY id"),
        Field(
            "rows", default: QueryRows.many,
            "Whether the value is an array of all rows (`many`) or a single row (`one`). With `one`, no row means `not_found`, and a second row is an error."
        ),
        Field("busy_timeout", default: Duration.seconds(5), "How long to wait while another process has the database locked."),
        Field(
            "max_size", default: Size.mebibytes(64), range: Size(bytes: 1)...,
            "The largest result to read, as JSON. It also limits each text and blob.")
    ) { (context, path: DatabasePath, query: SQLQuery, rows: QueryRows, busyTimeout, maxSize) -> any Source in
        SQLiteQuery(path: path, query: query, rows: rows, busyTimeout: busyTimeout, maxSize: maxSize, clock: context.clock)
    }
}
