private import GRDBSQLite
internal import Pipeline
public import PipelineConfig
internal import PipelineSending

extension SourcePlugin {
    /// The plugin behind `type: outbox`.
    public static let outbox = SourcePlugin(
        outbox: "outbox", summary: "Keeps sends in an SQLite database until they are done.",
        fields: Field<DatabasePath>(
            "path", "The database file, which holds nothing else. Missing folders are created.", example: ".state/outbox.db"
        ).checked(stating: .text(matching: DatabasePath.pattern)) { _ in nil }.role(.place),
        Field(
            "owner", default: "",
            "The owner of the sends. Those of another owner are neither shown nor sent nor listed. Only a hash is stored.",
            example: "\"${USER_ID:-}\""),
        Field("max_entries", default: 10_000, range: 1..., "The most sends that are not done or have failed. Another one is refused."),
        Field("max_bytes", default: Size.mebibytes(64), "The most bytes of their payloads. A send that needs more is refused."),
        Field("max_size", default: Size.mebibytes(1), "The most bytes of one payload."),
        Field("busy_timeout", default: Duration.seconds(5), "How long to wait while another process has the database locked."),
        Field("durable", default: true, "Whether a send is taken in only when it is safely on disk.")
    ) { (context, path: DatabasePath, owner: String, maxEntries, maxBytes, maxSize, busyTimeout, isDurable) -> any OutboxSource in
        OutboxFile(
            path: path, owner: owner, maxEntries: maxEntries, maxBytes: maxBytes, maxSize: maxSize, busyTimeout: busyTimeout,
            isDurable: isDurable, clock: context.clock)
    }.linking(LinkedLibrary(name: "SQLite", version: sqlite3_libversion()))
}
