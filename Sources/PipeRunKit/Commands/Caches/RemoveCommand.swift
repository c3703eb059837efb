internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig

struct RemoveCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "remove", abstract: "Removes a value from every cache of its pipeline.")

    @OptionGroup var config: ConfigOptions
    @OptionGroup var pipeline: PipelineArguments

    func perform() async throws {
        let pipelines = try config.pipelines(mayLack: { _ in true })
        let (selected, key) = try Usage.checking(pipeline.call("remove", config)) {
            let selected = try pipelines.pipeline(named: pipeline.name)
            return (selected, try selected.key(pipeline.arguments()))
        }
        let without = await selected.cachesWithout(key)
        let report = try await selected.remove(key)
        await UnwrittenReport().shutDown(pipelines)
        try RemovalPrinter.print(report, done: "removed", without: without)
    }
}

struct ClearCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "clear", abstract: "Removes every value of a pipeline from its caches.",
        discussion: """
            Of files, only copies go: those that a cache wrote, as the record beside each says. Others are left, and counted in a note.
            """)

    @OptionGroup var config: ConfigOptions
    @Argument(help: "The name of the pipeline.", completion: Suggestions.pipelines) var name: String
    @Argument(help: .hidden) var assignments: [String] = []

    func perform() async throws {
        guard assignments.isEmpty else {
            let call = (["pipe-run remove", name] + assignments).joined(separator: " ")
            throw Usage.failure("`clear` removes every value of a pipeline", help: "`\(call)` removes one")
        }
        let pipelines = try config.pipelines(mayLack: { _ in true })
        let selected = try Usage.checking(["clear"]) { try pipelines.pipeline(named: name) }
        let report = try await selected.clear()
        let notes = report.isComplete ? ContentsPrinter.notes(try await selected.contents(limit: 1)) : []
        await UnwrittenReport().shutDown(pipelines)
        for note in notes { Console.say(note) }
        try RemovalPrinter.print(report, done: "cleared")
    }
}

/// Says what each cache did.
enum RemovalPrinter {
    /// Prints a line for each cache; throws the exit code 1 when one could not be reached.
    ///
    /// - Parameter without: the caches that had nothing to forget.
    static func print(_ report: RemovalReport, done: String, without: Set<String> = []) throws {
        for line in report.lines {
            let words = line.failure.map { "failed: \($0)" } ?? (without.contains(line.source) ? "had no copy" : done)
            Console.output.writeLine("\(line.source): \(words)".printable)
        }
        if report.lines.isEmpty { Console.say("the pipeline has no caches") }
        guard report.isComplete else { throw ExitStatus.no }
    }
}
