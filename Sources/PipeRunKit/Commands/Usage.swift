internal import ArgumentParser
internal import Pipeline

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
