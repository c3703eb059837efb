public import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// The plugin behind `type: sqlite`.
    public static let sqlite = SourcePlugin(
        "sqlite", summary: "Keeps every value in one SQLite database.",
        capabilities: [.writes, .keepsMetadata, .keepsNotFound, .listsKeys],
        fields: Field<DatabasePath>(
            "path", "The file of the database, the same for every key; its folders are made as needed.", example: ".cache/pipe-run.db"
        ).checked(stating: .text(matching: DatabasePath.pattern)) { _ in nil }.role(.place),
        Field("durable", default: false, "Whether a write waits until the disk has it."),
        Field("busy_timeout", default: Duration.seconds(5), "How long to wait while another process holds the database."),
        Field(
            "max_entries", default: Int?.none, range: 0...,
            "The most entries to keep, the least recently used go; 0 keeps none.", example: "10000"
        ).role(.bound),
        Field(
            "max_bytes", default: Size?.none, "The most bytes of payload to keep, the least recently used go.", example: "64MiB"
        ).role(.bound),
        Field(
            "shared_flight", default: SharedFlightChoice(nil),
            "Whether of several processes that miss a key one loads it, and the others wait for its copy.")
    ) { (context, path: DatabasePath, isDurable, busyTimeout, maxEntries, maxBytes, sharedFlight) -> any Source in
        SQLiteSource(
            path: path, isDurable: isDurable, busyTimeout: busyTimeout, maxEntries: maxEntries, maxBytes: maxBytes,
            sharedFlight: sharedFlight.flight, clock: context.clock, evicted: context.evicted)
    }
}
