internal import Pipeline
internal import PipelineConfig
internal import PipelineReports
internal import PipelineYAML

/// What became of the sources that were asked, one line each, for people.
enum SourceCheckPrinter {
    static func text(_ checks: [ConfigCheck]) -> String {
        checks.flatMap { check in
            check.sources.map { ((checks.count > 1 ? "\(check.file.name): " : "") + line($0)).printable + "\n" }
        }.joined()
    }

    /// `api: reachable, 12.3 ms`
    private static func line(_ check: SourceCheck) -> String {
        switch check.outcome {
        case .reachable: "\(check.source): reachable, \(TracePrinter.milliseconds(check.duration))"
        case .untried(let reason): "\(check.source): not tried: \(reason)"
        case .cannotConnect(let reason): "\(check.source): \(reason), \(TracePrinter.milliseconds(check.duration))"
        case .refused(let reason): "\(check.source): refused: \(reason), \(TracePrinter.milliseconds(check.duration))"
        }
    }
}
