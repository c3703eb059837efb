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
            "rows", default: QueryRows?.none,
            "Whether the value is an array of all rows (`many`) or a single row (`one`). With `one`, no row means `not_found`, and a second row is an error. By default `many`, and with `batch` `one`."
        ),
        Field("busy_timeout", default: Duration.seconds(5), "How long to wait while another process has the database locked."),
        Field(
            "max_size", default: Size.mebibytes(64), range: Size(bytes: 1)...,
            "The largest result to read, as JSON. It also limits each text and blob."),
        Field(
            "batch", default: QueryBatch?.none,
            "How to read several values with one query. Values that a cache has, or that are being loaded, are not read again.",
            example: "{ query: \"SELECT id, name FROM friends WHERE id IN (:user)\", id: /id }"
        ).role(.batch)
    ) { (context, path: DatabasePath, query: SQLQuery, rows: QueryRows?, busyTimeout, maxSize, batch) -> any Source in
        SQLiteQuery(
            path: path, query: query, rows: rows ?? (batch == nil ? .many : .one), busyTimeout: busyTimeout, maxSize: maxSize, batch: batch,
            clock: context.clock)
    } conflicts: { _, _, rows, _, _, batch in
        guard rows == .many, batch != nil else { return [] }
        return [FieldConflict(.malformed, of: "rows", "says `many`, and a value of a `batch` is one row", help: "write `rows: one`")]
    }
}
