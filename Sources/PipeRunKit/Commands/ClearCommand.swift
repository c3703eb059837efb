internal import ArgumentParser
internal import Pipeline

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
