internal import ArgumentParser
internal import PipelineJSON
internal import PipelineReports

struct SchemaCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "schema",
        abstract: "Prints the JSON Schema of a configuration or of its tests, for editors.",
        discussion: """
            Draft 2020-12, with the fields of all types of sources. `pipe-run schema > pipeline.schema.json` writes the file that the \
            starter file of `init` points editors to. `--format markdown` prints a reference; `pipe-run help tiers.retry` prints a part \
            of it. `--tests` prints the schema of scenario tests, the files whose names end in .test.yaml.
            """)

    static let takesConfig = false

    @Option(help: "The output format: json, markdown.")
    var format = SchemaFormat.json

    @Flag(help: "Print the schema of scenario tests.")
    var tests = false

    func validate() throws {
        if tests, format != .json { throw ValidationError("`--tests` prints JSON: leave out `--format`") }
    }

    func perform() async throws {
        switch format {
        case .json where tests: Console.output.writeLine(ConfigSchema.tests.indentedText)
        case .json: Console.output.writeLine(ConfigSchema.json(plugins: Program.plugins).indentedText)
        case .markdown: Console.output.write(FieldReference(Program.plugins).markdown)
        }
    }
}

/// A format in which `schema` prints.
enum SchemaFormat: String, CaseIterable, ExpressibleByArgument {
    case json
    case markdown
}
