internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
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
            snapshots: selected.snapshots(key, priority: priority?.value.priority),
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
        guard case .feed(let event, let source, _) = event else { return }
        switch event {
        case .skipped(let count, let reason), .dropped(let count, let reason):
            Console.error.writeLine("\(source): skipped \(count) message\(count == 1 ? "" : "s") (\(reason))".printable)
        case .state, .messages, .reconnect, .synced: break
        }
    }
}
