internal import Pipeline

/// How long ``WatchState`` waits for what.
struct WatchTiming: Sendable {
    /// A file is looked at when nothing was reported for this long,
    var quiet = Duration.milliseconds(100)
    /// or this long after the first report.
    var longestBurst = Duration.seconds(1)
    /// A file that is gone, or empty, for less than this is being saved.
    var absence = Duration.seconds(1)
    /// The pause between two looks for which there is no report.
    var interval = Duration.seconds(2)
}
