internal import ArgumentParser
internal import Pipeline

struct ClearCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "clear", abstract: "Forgets every value of a pipeline in its caches.")

    @OptionGroup var config: ConfigOptions
    @Argument(help: "The name of the pipeline.", completion: Suggestions.pipelines) var name: String
    @Argument(help: .hidden) var assignments: [String] = []

    func perform() async throws {
        guard assignments.isEmpty else {
            let call = (["pipe-run remove", name] + assignments).joined(separator: " ")
            throw Usage.failure("`clear` forgets every value of a pipeline", help: "`\(call)` forgets one")
        }
        let pipelines = try config.pipelines()
        let selected = try Usage.checking(["clear"]) { try pipelines.pipeline(named: name) }
        let report = try await selected.clear()
        await UnwrittenReport().shutDown(pipelines)
        try RemovalPrinter.print(report, done: "cleared")
    }
}
