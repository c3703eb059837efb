internal import ArgumentParser
internal import Pipeline

struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipe-run",
        abstract: "Loads data through declared tiers.",
        discussion: """
            A YAML file says which sources to ask, in which order, which caches get the answer, and how long each copy is good.

            Exit codes: 0 it worked; 1 the answer is no; 2 the configuration cannot be used; 3 not found; 64 wrong usage; 130 and 143 \
            interrupted and terminated.
            """,
        version: "0.1.0",
        subcommands: [
            FetchCommand.self, PutCommand.self, ValidateCommand.self, FormatCommand.self, GraphCommand.self, ExplainCommand.self,
            ConfigCommand.self,
            SourcesCommand.self, ExplainCodeCommand.self, SchemaCommand.self, InitCommand.self, RemoveCommand.self, ClearCommand.self,
            ServeCommand.self, CompletionsCommand.self,
        ])

    /// The error that ends the process when the first argument is a word that is no command, said with the nearest one.
    static func unknownCommand(in arguments: [String]) -> ExitCode? {
        let known = configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let word = arguments.dropFirst().first, !word.hasPrefix("-"), word != "help", !known.contains(word) else { return nil }
        return Usage.failure("unknown command `\(word)`", help: NearestName.help(for: word, among: known, noun: "commands"))
    }
}
