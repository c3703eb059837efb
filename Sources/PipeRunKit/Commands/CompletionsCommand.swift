internal import ArgumentParser

struct CompletionsCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "completions",
        abstract: "Prints a shell completion script for commands, options and the names in the file.",
        discussion:
            "For bash: `source <(pipe-run completions bash)`. The others: `pipe-run completions fish | source`, or a file `_pipe-run` for zsh."
    )

    static let takesConfig = false

    @Argument(help: "The shell: bash, zsh, fish.") var shell: CompletionScript

    func perform() async throws {
        Console.output.write(shell.text)
    }
}
