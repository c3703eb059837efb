internal import ArgumentParser
internal import Pipeline

/// A diagnostic code on the command line, in upper or lower case.
enum CodeArgument {
    static func code(_ text: String) throws -> DiagnosticCode {
        guard let code = DiagnosticCode(named: text) else {
            let names = DiagnosticCode.allCases.map(\.rawValue)
            throw Usage.failure(
                "unknown code `\(text)`", help: NearestName.help(for: text, among: names, noun: "codes"))
        }
        return code
    }
}
