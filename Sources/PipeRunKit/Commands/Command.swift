internal import ArgumentParser
internal import Pipeline
internal import PipelineReports

/// One of the program's commands.
protocol Command: ParsableCommand {
    /// Indicates whether the command takes `-c`.
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
        self.init(commandName: name, _superCommandName: Program.name, abstract: abstract, discussion: discussion)
    }
}

/// The exit codes and their meanings.
enum ExitStatus {
    /// The code for "no": every tier failed, `validate` found errors.
    static let no = ExitCode(1)
    /// The code for a configuration that cannot be used.
    static let badConfiguration = ExitCode(2)
    /// The code for a value that there is not.
    static let notFound = ExitCode(3)
    /// The code for a command line that does not fit.
    static let usage = ExitCode(64)
}

/// Wrong usage, said on standard error.
enum Usage {
    /// Says what is wrong; gives the error that ends the process with 64.
    static func failure(_ message: String, help: String?) -> ExitCode {
        Console.say(message, help: help)
        return ExitStatus.usage
    }

    /// Runs `body`; a call that does not fit the configuration is wrong usage.
    ///
    /// - Parameter call: the call as it was typed; what is missing is added to it.
    static func checking<Value>(_ call: [String], _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as UsageError {
            throw failure(error.message, help: error.help(for: call))
        }
    }

    /// The help for parameters that a call lacks: the call with them.
    static func help(forMissing names: [String], in call: [String]) -> String {
        let whole = (["pipe-run"] + call).map(\.asShellWord) + names.map { "\($0)=VALUE" }
        return "give \(names.count == 1 ? "it" : "them") as in `\(whole.joined(separator: " "))`"
    }
}

extension UsageError {
    /// The call with what it lacks.
    fileprivate func help(for call: [String]) -> String? {
        guard case .missingParameters(let names, _) = self else { return help }
        return Usage.help(forMissing: names, in: call)
    }
}
