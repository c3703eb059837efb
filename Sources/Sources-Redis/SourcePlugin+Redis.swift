internal import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// Shares values over a Redis or Valkey server.
    public static let redis = SourcePlugin(
        "redis", summary: "Shares values between processes and machines, over a Redis or Valkey server.",
        capabilities: [.writes, .keepsMetadata, .keepsNotFound, .listsKeys],
        fields: Field<RedisURL>(
            "url", "The server: `redis://user:password@host:port/database`, or `rediss://` for one behind TLS.",
            example: "redis://127.0.0.1:6379"
        ).checked(stating: .text(matching: RedisURL.pattern)) {
            ["redis", "rediss"].contains($0.scheme) ? nil : "a URL that begins with `redis://` or `rediss://`"
        }.role(.place),
        Field("prefix", default: "pipe-run:", "What the names of its keys on the server begin with.", example: "\"pipe-run:\"").role(
            .place),
        Field(
            "timeout", default: Duration.seconds(1), range: Duration.milliseconds(1)...,
            "The longest time to connect, and then the longest pause: in which nothing of a command is sent and nothing of an answer "
                + "comes. The whole of a read is bound by the `timeout` of the tier, that of a write by 30s."),
        Field("pool", default: 1, range: 1...64, "How many connections carry the commands; each carries any number at the same time."),
        Field(
            "ca_file", default: CertificateFile?.none,
            "Certificates in PEM that are trusted instead of the system's, with `rediss://`; empty for none.",
            example: "certs/ca.pem"
        ).checked(stating: .text(matching: CertificateFile.pattern)) { _ in nil },
        Field("invalidation", default: false, "Whether processes tell each other which values they removed or changed."),
        Field(
            "shared_flight", default: SharedFlightChoice(nil),
            "Whether only one of all processes loads a value that none has; a mapping says how long the others wait.")
    ) { (context, url: RedisURL, prefix: String, timeout, pool, caFile, announces, sharedFlight) -> any Source in
        RedisSource(
            url: url, prefix: prefix, timeout: timeout, pool: pool, caFile: caFile?.ifGiven,
            announces: announces, sharedFlight: sharedFlight.flight,
            longestStale: context.longestStale, clock: context.clock)
    }
}
