internal import ArgumentParser

/// One of the program's commands.
protocol Command: ParsableCommand {
    /// Whether it takes `-c`.
    static var takesConfig: Bool { get }

    /// Does what the command is for, on the thread that asks: the main one, until there is something to wait for. The `run` that
    /// ArgumentParser has for this begins on another, with a heap of its own, which costs a short command a noticeable part of its time.
    ///
    /// Throws `ExitCode` when it ends otherwise than well, and has said why.
    func perform() async throws
}

extension Command {
    static var takesConfig: Bool { true }
}

extension CommandConfiguration {
    /// The configuration of one of the program's commands, which can be parsed without the others.
    init(subcommand name: String, abstract: String, discussion: String = "") {
        // With the name of the program, ArgumentParser leaves `--generate-completion-script` to the root.
        self.init(commandName: name, _superCommandName: RootCommand.name, abstract: abstract, discussion: discussion)
    }
}
