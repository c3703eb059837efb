private import GRDBSQLite
internal import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// The plugin behind `type: sqlite`.
    public static let sqlite = SourcePlugin(
        cache: "sqlite", summary: "Stores all values in one SQLite database.",
        capabilities: [.keepsMetadata, .keepsNotFound, .listsKeys],
        fields: Field<DatabasePath>(
            "path", "The database file, the same for every key. Missing folders are created.", example: ".cache/pipe-run.db"
        ).checked(stating: .text(matching: DatabasePath.pattern)) { _ in nil }.role(.place),
        Field("durable", default: false, "Whether a write waits until the data is safely on disk."),
        Field("busy_timeout", default: Duration.seconds(5), "How long to wait while another process has the database locked."),
        Field(
            "max_entries", default: Int?.none, range: 0...,
            "The most entries to keep; the least recently used are removed first. 0 keeps none.", example: "10000"
        ).role(.bound),
        Field(
            "max_bytes", default: Size?.none, "The most bytes of payload to keep; the least recently used are removed first.",
            example: "64MiB"
        ).role(.bound),
        Field(
            "shared_flight", default: SharedFlightChoice(nil),
            "Whether only one process loads a missing value while the others wait for its copy.")
    ) { (context, path: DatabasePath, isDurable, busyTimeout, maxEntries, maxBytes, sharedFlight) -> any WritableSource in
        SQLiteSource(
            path: path, isDurable: isDurable, busyTimeout: busyTimeout, maxEntries: maxEntries, maxBytes: maxBytes,
            sharedFlight: sharedFlight.flight, clock: context.clock, evicted: context.evicted)
    }.linking(LinkedLibrary(name: "SQLite", version: sqlite3_libversion()))
}
