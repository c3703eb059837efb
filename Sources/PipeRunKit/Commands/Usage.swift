internal import ArgumentParser
internal import Pipeline
internal import PipelineReports

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
}

extension UsageError {
    /// The call with what it lacks.
    fileprivate func help(for call: [String]) -> String? {
        guard case .missingParameters(let names, _) = self else { return help }
        let whole = (["pipe-run"] + call).map(\.asShellWord) + names.map { "\($0)=VALUE" }
        return "give \(names.count == 1 ? "it" : "them") as in `\(whole.joined(separator: " "))`"
    }
}
