internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineReports
internal import PipelineSimulation
internal import PipelineYAML

struct SimulateCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "simulate",
        abstract: "Plays a trace through a pipeline in virtual time, and through others beside it.",
        discussion: """
            What sources take, and when they fail, is in NAME.sim.yaml beside NAME.yaml; without it they take no time and do not fail.

            Each order is a variant of the pipeline in the file; each further `-c` is one, too. Arguments fill the parameters that the trace \
            does not have.

            Exit codes: 0 done; 1 the trace cannot be used, or no variant meets the objective; 2 a configuration or a model cannot be used; \
            130 interrupted, after printing what has been played.
            """)

    @OptionGroup var pipeline: PipelineArguments

    @Option(
        name: [.customShort("c", allowingJoined: true), .customLong("config")],
        help: ArgumentHelp(
            "The configuration file; each further one is a variant. Default: $PIPE_RUN_CONFIG, else pipeline.yaml.", valueName: "config"),
        completion: .file(extensions: ["yaml", "yml"]))
    var configs: [String] = []

    @OptionGroup var trace: TraceOptions

    @Option(
        help: ArgumentHelp("A variant that asks these sources in this order; may be repeated.", valueName: "a,b,c"),
        completion: Suggestions.order)
    var order: [String] = []

    @Option(
        help: ArgumentHelp(
            "Vary a field: memory.ttl=10s,1m,10m or memory.max_entries=1000..1000000x2; `none` takes it away; may be repeated.",
            valueName: "field=values"),
        completion: Suggestions.field)
    var vary: [String] = []

    @Option(
        help: ArgumentHelp("What the sources do; NAME.sim.yaml beside NAME.yaml by default.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var model: String?

    @Option(
        help: ArgumentHelp("A source fails: from a time after the first request, for a time; may be repeated.", valueName: "api@10m+10m"),
        completion: Suggestions.window)
    var down: [String] = []

    @Option(
        help: ArgumentHelp("A source takes longer, by a factor; may be repeated.", valueName: "api@10m+5mx10"),
        completion: Suggestions.window)
    var slow: [String] = []

    @Option(help: ArgumentHelp("The initial part of the requests to exclude from all figures.", valueName: "10%"))
    var warmup: String = "0%"

    @Option(help: "The seed of what is random.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Name the best variant, as in \"p99 <= 50ms; failed <= 0.1%; min cost\".", valueName: "objective"))
    var objective: String?

    @Option(help: "The output format: text, json, csv, svg.")
    var format = SimulateFormat.text

    /// The call as it was typed, as far as it concerns the file and the pipeline.
    var call: [String] { ["simulate"] + configs.prefix(1).flatMap { ["-c", $0] } + [pipeline.name] + pipeline.assignments }

    func perform() async throws {
        let run = try SimulateRun(self)
        let state = SimulateProgress()
        let ending = await Interruption.watching {
            try await run.play(noting: state)
            return nil
        }
        state.line.erase()
        if case .finished(let status?) = ending { throw status }
        guard case .interrupted(let signal) = ending else {
            if let status = try run.print(state, isInterrupted: false) { throw status }
            return
        }
        _ = try run.print(state, isInterrupted: true)
        throw signal
    }
}

/// A format in which `simulate` prints.
enum SimulateFormat: String, CaseIterable, ExpressibleByArgument {
    case text, json, csv, svg
}
