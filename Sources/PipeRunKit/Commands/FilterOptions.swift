internal import ArgumentParser
internal import PipelineConfig

/// Which warnings are not reported, and which count as errors.
struct FilterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Do not report these warnings, as P302,P203; may be repeated.", valueName: "code"),
        completion: Suggestions.warning)
    var allow: [String] = []

    @Option(
        help: ArgumentHelp("Count these warnings as errors, as P302,P203; may be repeated.", valueName: "code"),
        completion: Suggestions.warning)
    var deny: [String] = []

    func filter() throws -> DiagnosticFilter {
        let (allowed, denied) = (Set(try allow.flatMap(CodeArgument.codes)), Set(try deny.flatMap(CodeArgument.codes)))
        do throws(DiagnosticFilter.Problem) {
            return try DiagnosticFilter(allowed: allowed, denied: denied)
        } catch {
            switch error {
            case .allowedError(let code):
                throw Usage.failure("`\(code.rawValue)` is an error, and only warnings can be allowed", help: nil)
            case .deniedError(let code):
                throw Usage.failure("`\(code.rawValue)` is an error as it is, and only warnings can be denied", help: "leave it out")
            case .contradiction(let code): throw Usage.failure("`\(code.rawValue)` is allowed and denied", help: "remove one of the two")
            }
        }
    }
}
