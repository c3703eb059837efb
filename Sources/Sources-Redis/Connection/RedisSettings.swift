import Pipeline
internal import PipelineConfig

/// What the fields of a source come to.
struct RedisSettings: Sendable {
    /// The pauses between two attempts to connect. Shorter than those of feeds: loads wait for what the server has.
    static let reconnecting = ReconnectPolicy(base: .milliseconds(100), max: .seconds(5))

    let url: RedisURL
    var prefix = "pipe-run:"
    /// The longest time to connect, and the longest pause while a command is sent and answered.
    var timeout = Duration.seconds(1)
    /// How many connections carry commands.
    var pool = 1
    var caFile: CertificateFile?
    var publishes = false
    var sharedFlight: SharedFlight?
    /// How long after expiry a copy may still be served, by the pipelines.
    var longestStale = Duration.zero
    /// How often a connection that only listens is asked whether it still stands.
    var heartbeat = Duration.seconds(10)

    /// What ends a command that has waited for too long while nothing moved.
    var late: SourceError { SourceError("no answer from \(url.authority) within \(timeout.written ?? "the time limit")", kind: .timeout) }

    /// What ends commands behind one whose caller has left, and that takes its time all the same.
    var occupied: SourceError {
        SourceError(
            "the connection to \(url.authority) was busy for \(timeout.written ?? "too long") with requests that were given up",
            kind: .timeout)
    }

    /// What a command fails with that is one too many.
    var overfull: SourceError {
        SourceError("\(Size.mebibytes(Backlog.most >> 20).written ?? "too much") wait already to be sent to \(url.authority)")
    }

    /// What commands fail with when nothing more is known.
    var cutOff: SourceError { SourceError("the connection to \(url.authority) was closed") }
}
