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

            Exit codes: 0 done; 1 the trace or the model cannot be used, or no variant meets the objective; 2 a configuration cannot be used.
            """)

    @Argument(help: "The pipeline.", completion: Suggestions.pipelines)
    var name: String

    @Option(
        name: [.customShort("c", allowingJoined: true), .customLong("config")],
        help: ArgumentHelp("A configuration file; each one is a variant.", valueName: "config"),
        completion: .file(extensions: ["yaml", "yml"]))
    var configs: [String] = []

    @OptionGroup var trace: TraceOptions

    @Option(help: ArgumentHelp("Ask these sources in this order; may be repeated.", valueName: "a,b,c"), completion: Suggestions.order)
    var order: [String] = []

    @Option(
        help: ArgumentHelp(
            "Vary a field: memory.ttl=10s,1m,10m or memory.max_entries=1000..1000000x2; may be repeated.", valueName: "field=values"))
    var vary: [String] = []

    @Option(
        help: ArgumentHelp("What the sources do; NAME.sim.yaml beside NAME.yaml by default.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var model: String?

    @Option(
        help: ArgumentHelp("A source fails: from a time after the first request, for a time; may be repeated.", valueName: "api@10m+10m"))
    var down: [String] = []

    @Option(help: ArgumentHelp("A source takes longer, by a factor; may be repeated.", valueName: "api@10m+5mx10"))
    var slow: [String] = []

    @Option(help: ArgumentHelp("The part of the requests at the beginning that is in no figure.", valueName: "10%"))
    var warmup: String = "0%"

    @Option(help: "The seed of what is random.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Name the best variant, as in \"p99 <= 50ms; failed <= 0.1%; min cost\".", valueName: "objective"))
    var objective: String?

    @Option(help: "The output format: text, json, csv, svg.")
    var format = SimulateFormat.text

    func perform() async throws {
        let run = try SimulateRun(self)
        let state = SimulateProgress()
        let ending = await Interruption.watching {
            try await run.play(noting: state)
            return nil
        }
        state.line.erase()
        if case .finished(let status?) = ending { throw status }
        let status = try run.print(state.results, seeds: state.seeds)
        if case .interrupted(let status) = ending { throw status }
        if let status { throw status }
    }
}
