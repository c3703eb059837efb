internal import ArgumentParser
internal import Pipeline
internal import PipelineJSON

struct LinksCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "links",
        abstract: "Lists where the links of a value lead.",
        discussion: """
            Fetches the value, and prints a line for each target: the name of the link, the pipeline, its parameters, and what caches have of \
            it: fresh, stale or none. Targets are not loaded. A reference that leads nowhere has `-` for its parameters and says why: null, \
            absent or invalid, of which standard error says more.

            Exits as `fetch` does where there is no value, and with 1 when a reference cannot be followed.
            """)

    @OptionGroup var config: ConfigOptions
    @OptionGroup var pipeline: PipelineArguments
    @Option(help: "The output format.") var output = ListFormat.text

    func perform() async throws {
        let pipelines = try config.pipelines()
        let (selected, key) = try Usage.checking(pipeline.call("links", config)) {
            let selected = try pipelines.pipeline(named: pipeline.name)
            return (selected, try selected.key(pipeline.arguments()))
        }
        let unwritten = UnwrittenReport()
        let ending = await Interruption.watching {
            let outcome = try await selected.fetch(key)
            unwritten.note(outcome.writes)
            return try await Self.list(outcome, of: selected, among: pipelines, as: output)
        }
        await unwritten.shutDown(pipelines)
        switch ending {
        case .finished(let status): if let status { throw status }
        case .interrupted(let status): throw status
        }
    }

    /// Prints the links; gives the exit code, nil when all went well.
    private static func list(
        _ outcome: Outcome, of selected: DataPipeline, among pipelines: Pipelines, as format: ListFormat
    ) async throws -> ExitCode? {
        let redactor = pipelines.redactor
        switch outcome.result {
        case .failed(let error):
            Console.say(redactor.redacted("\(error)"))
            return ExitStatus.no
        case .notFound:
            Console.say(redactor.redacted("`\(outcome.key)` not found"))
            return ExitStatus.notFound
        case .value: break
        }
        let links = try await FoundLink.all(in: outcome, of: selected, among: pipelines)
        let printer = LinksPrinter(key: outcome.key, redactor: redactor)
        switch format {
        case .text: _ = await Console.output.stream(Console.shown(printer.text(links)))
        case .json: _ = await Console.output.stream(printer.json(links).text + "\n")
        }
        if links.isEmpty { Console.say("`\(selected.spec.name)` has no links") }
        let problems = links.compactMap(\.problem)
        for problem in problems { Console.say(redactor.redacted(problem)) }
        return problems.isEmpty ? nil : ExitStatus.no
    }
}
