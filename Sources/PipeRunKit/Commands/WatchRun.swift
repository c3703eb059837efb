internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig

/// One `watch`: prints snapshots until something ends it.
struct WatchRun: Sendable {
    let snapshots: Snapshots
    let printer: WatchPrinter
    /// After how many values it ends; nil for no end.
    let count: Int?
    /// After what time it ends; nil for no end.
    let limit: Duration?
    var clock = PipelineClock.system
    /// Where values go; false when that takes nothing more.
    var write: @Sendable (String) async -> Bool = { await Console.output.stream(Array(($0 + "\n").utf8)) }
    /// Where the lines for people go.
    var tell: @Sendable (String) -> Void = { Console.error.writeLine($0.printable) }
    /// Returns when there is no reader any more.
    var waitForReaderToLeave: @Sendable () async -> Void = { await Console.output.waitForReaderToLeave() }

    /// What ended, first of all or after it was cancelled.
    private enum Ending {
        case printing(values: Int)
        case time
        case reader
    }

    /// Prints until `count` values are printed, the time is over, the reader is gone, or the task is cancelled. Gives the exit code, nil when
    /// all went well.
    func run() async -> ExitCode? {
        await withTaskGroup(of: Ending.self) { group in
            group.addTask { .printing(values: await print()) }
            group.addTask {
                await waitForReaderToLeave()
                return .reader
            }
            if let limit {
                group.addTask {
                    try? await clock.sleep(for: limit)
                    return .time
                }
            }
            let first = await group.next()
            group.cancelAll()
            guard case .time = first else { return nil }
            for await case .printing(let values) in group where values > 0 { return nil }
            return ExitStatus.no
        }
    }

    /// Gives how many values were printed.
    private func print() async -> Int {
        var printer = printer
        for await snapshot in snapshots {
            let text = printer.text(snapshot)
            for line in text.status { tell(line) }
            for line in text.lines {
                guard await write(line) else { return printer.values }
            }
            if let count, printer.values >= count { break }
        }
        return printer.values
    }
}
