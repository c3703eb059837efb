internal import ArgumentParser
internal import Pipeline

struct ExplainCodeCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "explain-code", abstract: "Says what a code of a diagnostic means, with an example and how to mend it.")

    static let takesConfig = false

    @Argument(help: ArgumentHelp("The code, as in P201.", valueName: "code"), completion: Suggestions.code)
    var code: String

    func perform() async throws {
        Console.output.write(try CodeArgument.code(code).page.text)
    }
}
