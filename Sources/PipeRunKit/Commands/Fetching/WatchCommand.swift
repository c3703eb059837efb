internal import ArgumentParser
internal import Pipeline
import PipelineComposing
internal import PipelineConfig
import PipelineLive
internal import PipelineServer

struct WatchCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "watch",
        abstract: "Prints a value each time it changes.",
        discussion: """
            Prints one line of JSON for each new value, the first one at once; what the feeds of the pipeline and of its parts do goes \
            to standard error. \
            A reader that is slow gets the newest value, not each one.

            Ends with 0 after --count values, when --for is over, on SIGINT and SIGTERM, and when its reader is gone; with 1 when --for is \
            over and no value came. Writes what waits to the caches first.
            """)

    @OptionGroup var config: ConfigOptions
    @OptionGroup var pipeline: PipelineArguments
    @OptionGroup var swap: SwapOptions

    @Option(
        help: """
            What to print: raw (the value), changes (a line for each element that changed), or envelope (the value with its state, also \
            when only the state changes).
            """)
    var output = WatchOutput.raw

    @Option(parsing: .unconditional, help: ArgumentHelp("End after this many values.", valueName: "number"))
    var count: Int?

    @Option(
        name: .customLong("for"), help: ArgumentHelp("End after this time, such as 30s.", valueName: "duration"),
        transform: DurationArgument.duration)
    var limit: Duration?

    @Option(help: PriorityHelp.text)
    var priority: Choice<PriorityWord>?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count takes a number of at least 1") }
    }

    func perform() async throws {
        Interruption.outliveUserSignals()
        let reports = MinuteReports(Self.tellSkipped)
        let swapped = try SwappedRun(swap)
        let pipelines = try config.pipelines(mayLack: swapped.swaps.replaced.contains, swapping: swapped.swaps) { _ in
            [reports.take] + (swapped.observer.map { [$0] } ?? [])
        }
        let (selected, key) = try Usage.checking(pipeline.call("watch", config)) {
            let selected = try pipelines.pipeline(named: pipeline.name)
            return (selected, try selected.key(pipeline.arguments()))
        }
        if !FedValue(pipelines: pipelines).isFed(selected.spec, following: []) {
            let parts = selected.spec.combine == nil ? "" : ", nor have its parts"
            Console.say("note: `\(selected.spec.name)` has no `live`\(parts); only what other processes change is seen")
        }
        let run = WatchRun(
            snapshots: selected.snapshots(key, priority: priority?.value.priority, patience: .seconds(1)),
            printer: WatchPrinter(selected.spec, output: output, redactor: pipelines.redactor),
            count: count, limit: limit)
        let ending = await Interruption.watching {
            pipelines.startListening()
            return await run.run()
        }
        await swapped.end(pipelines) { await UnwrittenReport().shutDown(pipelines) }
        switch ending {
        case .finished(let status): if let status { throw status }
        case .interrupted(let status): if !Interruption.isAsked(status) { throw status }
        }
    }

    /// Says why messages are not used: without that, a wrong pointer looks like a quiet server.
    private static let tellSkipped: PipelineEvent.Observer = { event in
        guard case .change(let event as FeedEvent, let source, _) = event else { return }
        switch event {
        case .skipped(let count, let reason), .dropped(let count, let reason):
            Console.error.writeLine("\(source): skipped \(count) message\(count == 1 ? "" : "s") (\(reason))".printable)
        case .state, .messages, .reconnect, .synced: break
        }
    }
}

/// A form in which `watch` prints values.
enum WatchOutput: String, CaseIterable, ExpressibleByArgument {
    case raw
    case changes
    case envelope
}

/// One `watch`: prints snapshots until something ends it.
struct WatchRun: Sendable {
    let snapshots: Snapshots
    let printer: WatchPrinter
    /// The number of values after which it ends; nil for no end.
    let count: Int?
    /// The time after which it ends; nil for no end.
    let limit: Duration?
    var clock = PipelineClock.system
    /// The destination of values; false if it takes nothing more.
    var write: @Sendable (String) async -> Bool = { await Console.output.stream(Array(($0 + "\n").utf8)) }
    /// The destination of the lines for people.
    var tell: @Sendable (String) -> Void = { Console.error.writeLine($0.printable) }
    /// Returns when there is no reader any more.
    var waitForReaderToLeave: @Sendable () async -> Void = { await Console.output.waitForReaderToLeave() }

    /// The task that ended, first of all or after it was cancelled.
    private enum Ending {
        case printing(values: Int)
        case time
        case reader
    }

    /// Prints until `count` values are printed, the time is over, the reader is gone, or the task is cancelled. Gives the exit code, nil if
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
