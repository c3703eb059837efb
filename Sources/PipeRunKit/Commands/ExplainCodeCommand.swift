internal import ArgumentParser
internal import Pipeline

struct ExplainCodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain-code", abstract: "Says what a code of a diagnostic means, with an example and how to mend it.")

    @Argument(help: ArgumentHelp("The code, as in P201.", valueName: "code"), completion: Suggestions.code)
    var code: String

    func run() async throws {
        Console.output.write(try CodeArgument.code(code).page.text)
    }
}
