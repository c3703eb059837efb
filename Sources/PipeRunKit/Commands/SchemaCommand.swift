internal import ArgumentParser
internal import PipelineJSON
internal import PipelineReports

struct SchemaCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "schema",
        abstract: "Prints the JSON Schema of a configuration, for editors.",
        discussion: """
            Draft 2020-12, with the fields of all types of sources. `pipe-run schema > pipeline.schema.json` writes the file that the \
            starter file of `init` names to editors. `--format markdown` prints a reference for people; `pipe-run help tiers.retry` is a \
            part of it.
            """)

    static let takesConfig = false

    @Option(help: "How to print: json, markdown.")
    var format = SchemaFormat.json

    func perform() async throws {
        switch format {
        case .json: Console.output.writeLine(ConfigSchema.json(plugins: PipeRun.plugins).indentedText)
        case .markdown: Console.output.write(FieldReference(PipeRun.plugins).markdown)
        }
    }
}
