internal import ArgumentParser

struct CompletionsCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "completions",
        abstract: "Prints a script with which a shell completes commands, options and the names of the file.",
        discussion:
            "For bash: `source <(pipe-run completions bash)`. The others: `pipe-run completions fish | source`, or a file `_pipe-run` for zsh."
    )

    static let takesConfig = false

    @Argument(help: "The shell: bash, zsh, fish.") var shell: CompletionScript

    func perform() async throws {
        Console.output.write(shell.text)
    }
}
