internal import ArgumentParser
internal import Pipeline
internal import PipelineJSON

struct ListCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "list", abstract: "Lists what each cache of a pipeline holds.",
        discussion: """
            Prints key, age, remaining freshness and size, also of expired copies. Payloads are not read. Memory is empty here, since it \
            ends with its process. Files of other programs beside the copies are counted in a note. Exits with 1 when a cache could not be read.
            """)

    @OptionGroup var config: ConfigOptions
    @Argument(help: "The name of the pipeline.", completion: Suggestions.pipelines) var name: String
    @Option(parsing: .unconditional, help: "The most copies to list for each cache.") var limit = 100
    @Option(help: "The output format.") var output = ListFormat.text

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit takes a number of at least 1") }
    }

    func perform() async throws {
        let pipelines = try config.pipelines(mayLack: { _ in true })
        let selected = try Usage.checking(["list"]) { try pipelines.pipeline(named: name) }
        let caches = try await selected.contents(limit: limit)
        await UnwrittenReport().shutDown(pipelines)
        let printer = ContentsPrinter(pipeline: name, limit: limit, redactor: pipelines.redactor)
        switch output {
        case .text: Console.output.show(printer.text(caches))
        case .json: Console.output.writeLine(printer.json(caches).text)
        }
        for note in ContentsPrinter.notes(caches) + printer.gaps(caches) { Console.say(note) }
        guard caches.allSatisfy({ !$0.hasFailed }) else { throw ExitStatus.no }
    }
}

extension TierContents {
    fileprivate var hasFailed: Bool {
        if case .failed = answer { true } else { false }
    }
}
