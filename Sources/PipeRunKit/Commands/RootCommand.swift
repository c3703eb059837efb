internal import ArgumentParser
internal import Pipeline

struct RootCommand: ParsableCommand {
    static let name = "pipe-run"
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Loads data through declared tiers.",
        discussion: """
            A YAML file says which sources to ask, in which order, which caches get the answer, and how long each copy is good.

            Exit codes: 0 it worked; 1 the answer is no; 2 the configuration cannot be used; 3 not found; 64 wrong usage; 130 and 143 \
            interrupted and terminated.
            """,
        version: version,
        subcommands: [
            FetchCommand.self, PutCommand.self, ValidateCommand.self, FormatCommand.self, GraphCommand.self, ExplainCommand.self,
            ConfigCommand.self,
            SourcesCommand.self, ExplainCodeCommand.self, SchemaCommand.self, InitCommand.self, ListCommand.self, RemoveCommand.self,
            ClearCommand.self,
            ServeCommand.self, CompletionsCommand.self,
        ])

    /// Parses and runs the command that `arguments` ask for. Throws what ends the process otherwise than well.
    static func run(_ arguments: [String]) async throws {
        if arguments == [BackgroundFetch.word] { return try await BackgroundFetch.perform() }
        let parsed = try command(for: arguments)
        if let command = parsed as? any Command { return try await command.perform() }
        try printHelp(parsed)
    }

    /// What else there is, the root itself or ArgumentParser's own command, says how to use the program.
    private static func printHelp(_ command: any ParsableCommand) throws {
        var command = command
        try command.run()
    }

    /// The command that `arguments` ask for.
    ///
    /// The one that they name first is parsed without the others: what ArgumentParser looks up of the whole program, by reflection, takes
    /// longer than many a fetch. What cannot be parsed so, wrong usage or a request for help, is left to the whole, which has the words.
    private static func command(for arguments: [String]) throws -> any ParsableCommand {
        guard let word = arguments.first, !word.hasPrefix("-"), word != "help" else { return try parseAsRoot(arguments) }
        guard let type = configuration.subcommands.first(where: { $0.configuration.commandName == word }) else {
            let known = configuration.subcommands.compactMap { $0.configuration.commandName }
            throw Usage.failure("unknown command `\(word)`", help: NearestName.help(for: word, among: known, noun: "commands"))
        }
        let parsed = try? type.parseAsRoot(Array(arguments.dropFirst()))
        return try parsed as? any Command ?? parseAsRoot(arguments)
    }
}
