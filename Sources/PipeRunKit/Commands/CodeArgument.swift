internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig

/// A diagnostic code on the command line, in upper or lower case.
enum CodeArgument {
    /// The codes between commas.
    static func codes(_ text: String) throws -> [DiagnosticCode] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { try code(String($0.filter { !$0.isWhitespace })) }
    }

    static func code(_ text: String) throws -> DiagnosticCode {
        guard let code = DiagnosticCode(named: text) else {
            let names = DiagnosticCode.allCases.map(\.rawValue)
            throw Usage.failure(
                "unknown code `\(text)`", help: NearestName.help(for: text, among: names, noun: "codes"))
        }
        return code
    }
}
