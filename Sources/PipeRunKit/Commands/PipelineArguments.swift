internal import ArgumentParser
internal import Pipeline

/// A pipeline and its arguments: `friends user=42`.
struct PipelineArguments: ParsableArguments {
    @Argument(help: "The name of the pipeline.")
    var name: String

    @Argument(help: ArgumentHelp("The pipeline's arguments.", valueName: "parameter=value"))
    var assignments: [String] = []

    /// The arguments by name. Exits with 64 for one that is no assignment, or given twice.
    func arguments() throws -> [String: String] {
        var arguments: [String: String] = [:]
        for assignment in assignments {
            guard let equals = assignment.firstIndex(of: "="), equals > assignment.startIndex else {
                throw Usage.failure("`\(assignment)` is no argument", help: "write it as `parameter=value`")
            }
            let name = String(assignment[..<equals])
            guard arguments[name] == nil else { throw Usage.failure("the parameter `\(name)` is given twice", help: nil) }
            arguments[name] = String(assignment[assignment.index(after: equals)...])
        }
        return arguments
    }
}

/// Wrong usage, said on standard error.
enum Usage {
    /// Says what is wrong; gives the error that ends the process with 64.
    static func failure(_ message: String, help: String?) -> ExitCode {
        Console.say(message, help: help)
        return ExitStatus.usage
    }

    /// Runs `body`; a call of `command` that does not fit the configuration is wrong usage.
    static func checking<Value>(_ command: String = "fetch", _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as UsageError {
            throw failure(error.message, help: error.help(calling: command))
        }
    }
}

extension UsageError {
    /// The edit that mends a call of `command`.
    fileprivate func help(calling command: String) -> String? {
        guard case .missingParameter(let name, let pipeline) = self else { return help }
        return "give it as `\(name)=VALUE`: `pipe-run \(command) \(pipeline) \(name)=VALUE`"
    }
}
