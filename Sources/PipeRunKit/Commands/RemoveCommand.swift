internal import ArgumentParser
internal import Pipeline

struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forgets a value in every cache of its pipeline.")

    @OptionGroup var config: ConfigOptions
    @OptionGroup var pipeline: PipelineArguments

    func run() async throws {
        let pipelines = try config.pipelines()
        let (selected, key) = try Usage.checking("remove") {
            let selected = try pipelines[pipeline.name]
            return (selected, try selected.key(pipeline.arguments()))
        }
        let report = await selected.remove(key)
        await UnwrittenReport().shutDown(pipelines)
        try RemovalPrinter.print(report, done: "removed")
    }
}

struct ClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Forgets every value of a pipeline in its caches.")

    @OptionGroup var config: ConfigOptions
    @Argument(help: "The name of the pipeline.") var name: String
    @Argument(help: .hidden) var assignments: [String] = []

    func run() async throws {
        guard assignments.isEmpty else {
            let call = (["pipe-run remove", name] + assignments).joined(separator: " ")
            throw Usage.failure("`clear` forgets every value of a pipeline", help: "`\(call)` forgets one")
        }
        let pipelines = try config.pipelines()
        let selected = try Usage.checking("clear") { try pipelines[name] }
        let report = await selected.clear()
        await UnwrittenReport().shutDown(pipelines)
        try RemovalPrinter.print(report, done: "cleared")
    }
}

/// Says what each cache did.
enum RemovalPrinter {
    /// Prints a line for each cache; throws the exit code 1 when one could not be reached.
    static func print(_ report: RemovalReport, done: String) throws {
        for line in report.lines {
            Console.output.writeLine(("\(line.source): " + (line.failure.map { "failed: \($0)" } ?? done)).printable)
        }
        if report.lines.isEmpty { Console.say("the pipeline has no caches") }
        guard report.isComplete else { throw ExitStatus.no }
    }
}
