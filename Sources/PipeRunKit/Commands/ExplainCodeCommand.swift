internal import ArgumentParser
internal import PipelineConfig
internal import PipelineReports

struct ExplainCodeCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "explain-code", abstract: "Says what a code of a diagnostic means, with an example and how to correct it.",
        discussion: "Without a code it lists all of them.")

    static let takesConfig = false

    @Argument(help: ArgumentHelp("The code, as in P201.", valueName: "code"), completion: Suggestions.code)
    var code: String?

    func perform() async throws {
        if let code { return Console.output.write(try CodeArgument.code(code).page.text) }
        for code in DiagnosticCode.allCases {
            let severity = code.severity.rawValue
            Console.output.writeLine("\(code.rawValue)  \(severity)\(severity.utf8.count < 7 ? "    " : "  ")\(code.page.title)")
        }
    }
}
