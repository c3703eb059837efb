private import CHiredis
import Pipeline
public import PipelineConfig
import PipelineLive

extension SourcePlugin {
    /// Shares values over a Redis or Valkey server.
    public static let redis = SourcePlugin(
        cache: "redis", summary: "Shares values between processes and machines through a Redis or Valkey server.",
        capabilities: [.keepsMetadata, .keepsNotFound, .listsKeys],
        fields: Field<RedisURL>(
            "url", "The server, as `redis://user:password@host:port/database`, or `rediss://` for TLS.",
            example: "redis://127.0.0.1:6379"
        ).checked(stating: .text(matching: RedisURL.pattern)) {
            ["redis", "rediss"].contains($0.scheme) ? nil : "a URL that begins with `redis://` or `rediss://`"
        }.role(.place),
        Field("prefix", default: "pipe-run:", "The prefix of all keys on the server.", example: "\"pipe-run:\"").role(
            .keyPrefix),
        Field(
            "timeout", default: Duration.seconds(1), range: Duration.milliseconds(1)...,
            "The connect timeout; afterwards the longest silence while sending a command or receiving a reply. The `timeout` of the tier "
                + "limits a whole read, and 30s a whole write."),
        Field("pool", default: 1, range: 1...64, "The number of connections. Each carries any number of commands at the same time."),
        Field(
            "ca_file", default: CertificateFile?.none,
            "A PEM file of certificates to trust instead of the system's, for `rediss://`. Empty for none.",
            example: "certs/ca.pem"
        ).checked(stating: .text(matching: CertificateFile.pattern)) { _ in nil },
        Field(
            "invalidation", default: false,
            "Whether processes publish which values they removed or changed, so that the others drop their copies."),
        Field(
            "shared_flight", default: SharedFlightChoice(nil),
            "Whether only one process loads a missing value while the others wait for its copy. A mapping sets the lease.")
    ) { (context, url: RedisURL, prefix: String, timeout, pool, caFile, publishes, sharedFlight) -> any WritableSource in
        RedisSource(
            url: url, prefix: prefix, timeout: timeout, pool: pool, caFile: caFile?.ifGiven,
            publishes: publishes, sharedFlight: sharedFlight.flight,
            longestStale: context.longestStale, clock: context.clock, random: context.random)
    }.linking(LinkedLibrary(name: "hiredis", version: "\(HIREDIS_MAJOR).\(HIREDIS_MINOR).\(HIREDIS_PATCH)"))
}

/// The settings of a source.
struct RedisSettings: Sendable {
    /// The pauses between two attempts to connect. Shorter than those of feeds: loads wait for what the server has.
    static let reconnecting = ReconnectPolicy(base: .milliseconds(100), max: .seconds(5))

    let url: RedisURL
    var prefix = "pipe-run:"
    /// The longest time to connect, and the longest pause while a command is sent and answered.
    var timeout = Duration.seconds(1)
    /// The number of connections that carry commands.
    var pool = 1
    var caFile: CertificateFile?
    var publishes = false
    var sharedFlight: SharedFlight?
    /// The time after expiry for which a copy may still be served, by the pipelines.
    var longestStale = Duration.zero
    /// The interval in which a connection that only listens is asked whether it still stands.
    var heartbeat = Duration.seconds(10)

    /// The error that ends a command which has waited for too long while nothing moved.
    var late: SourceError { SourceError("no answer from \(url.authority) within \(timeout.written ?? "the time limit")", kind: .timeout) }

    /// The error that ends commands behind one whose caller has left, and that takes its time all the same.
    var occupied: SourceError {
        SourceError(
            "the connection to \(url.authority) was busy for \(timeout.written ?? "too long") with requests that were given up",
            kind: .timeout)
    }

    /// The error of a command that is one too many.
    var overfull: SourceError {
        SourceError("\(Size.mebibytes(Backlog.most >> 20).written ?? "too much") wait already to be sent to \(url.authority)")
    }

    /// The error of commands about which nothing more is known.
    var cutOff: SourceError { SourceError("the connection to \(url.authority) was closed") }
}
