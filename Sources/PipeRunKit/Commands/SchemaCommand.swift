internal import ArgumentParser
internal import Pipeline

struct SchemaCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "schema",
        abstract: "Prints the JSON Schema of a configuration, for editors.",
        discussion: """
            Draft 2020-12, with the fields of all types of sources. `pipe-run schema > pipeline.schema.json` writes the file that the \
            starter file of `init` names to editors.
            """)

    func perform() async throws {
        Console.output.writeLine(ConfigSchema.json(plugins: PipeRun.plugins).indentedText)
    }
}
