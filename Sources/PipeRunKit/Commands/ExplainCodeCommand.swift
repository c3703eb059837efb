internal import ArgumentParser
internal import PipelineConfig
internal import PipelineReports

struct ExplainCodeCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "explain-code", abstract: "Explains a diagnostic code, with an example and its correction.",
        discussion: "Without a code, lists all codes.")

    static let takesConfig = false

    @Argument(help: ArgumentHelp("The code, such as P201.", valueName: "code"), completion: Suggestions.code)
    var code: String?

    func perform() async throws {
        if let code { return Console.output.show(try CodeArgument.code(code).page.text) }
        for code in DiagnosticCode.allCases {
            let severity = code.severity.rawValue
            let gap = String(repeating: " ", count: 9 - severity.utf8.count)
            Console.output.writeLine("\(code.rawValue)  \(severity)\(gap)\(code.page.title)")
        }
    }
}
