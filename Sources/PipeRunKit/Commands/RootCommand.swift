internal import ArgumentParser

struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipe-run",
        abstract: "Loads data through declared tiers.",
        discussion: """
            A YAML file says which sources to ask, in which order, which caches get the answer, and how long each copy is good.
            Exit codes: 0 it worked; 1 the answer is no; 2 the configuration cannot be used; 3 not found; 64 wrong usage;
            130 and 143 interrupted and terminated.
            """,
        version: "0.1.0",
        subcommands: [
            FetchCommand.self, PutCommand.self, ValidateCommand.self, GraphCommand.self, SourcesCommand.self, InitCommand.self, RemoveCommand.self,
            ClearCommand.self, ServeCommand.self,
        ])
}
