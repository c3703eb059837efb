import Pipeline

/// What the fields of a source come to.
struct RedisSettings: Sendable {
    let url: RedisURL
    var prefix = "pipe-run:"
    /// The longest time to connect, and for each command.
    var timeout = Duration.seconds(1)
    /// How many connections carry commands.
    var pool = 1
    var caFile: CertificateFile?
    var announces = false
    var sharedFlight: SharedFlight?
    /// For so long after it expired a copy may still be served.
    var longestStale = Duration.zero
    /// How often a connection that only listens is asked whether it still stands.
    var heartbeat = Duration.seconds(10)

    /// What ends a command that has waited for too long.
    var late: SourceError { SourceError(timeout: "no answer from \(url.authority) within \(timeout.written ?? "the time limit")") }

    /// What commands fail with when nothing more is known.
    var cutOff: SourceError { SourceError("the connection to \(url.authority) was closed") }
}
