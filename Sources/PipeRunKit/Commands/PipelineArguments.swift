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
            guard let equals = assignment.firstIndex(of: "=") else {
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
        Console.error.writeLine("pipe-run: \(message)" + (help.map { "\nhelp: \($0)" } ?? ""))
        return ExitStatus.usage
    }

    /// Runs `body`; a call that does not fit the configuration is wrong usage.
    static func checking<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as UsageError {
            throw failure(error.message, help: error.help)
        }
    }
}
