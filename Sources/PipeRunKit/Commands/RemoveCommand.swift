internal import ArgumentParser
internal import Pipeline

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
