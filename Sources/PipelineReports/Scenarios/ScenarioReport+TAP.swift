internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON
internal import PipelineScenarios
internal import PipelineYAML

extension ScenarioReport {
    /// The Test Anything Protocol, version 14: a test point for each run, with a YAML block for each failure.
    package var tap: String {
        var lines: [String] = []
        var number = 0
        for tested in tested {
            lines.append("# \(Self.escaped(tested.suite.file.name))")
            if !tested.suite.isUsable {
                number += 1
                lines.append("not ok \(number) - \(Self.escaped(tested.suite.file.name)) cannot be used")
                lines += Self.block([("problems", .array(problems(of: tested).map { .string($0.diagnostic.placedMessage) }))])
            }
            let names = ScenarioNames(tested, options: options)
            for outcome in tested.outcomes {
                number += 1
                lines.append("\(outcome.hasPassed ? "ok" : "not ok") \(number) - \(Self.escaped(names.name(of: outcome)))")
                if let failure = outcome.failure { lines += Self.block(failure, of: outcome, names) }
            }
        }
        let plan = number == 0 ? "1..0 # no test was found" : "1..\(number)"
        return (["TAP version 14", plan] + lines).map { $0 + "\n" }.joined()
    }

    private static func block(_ failure: ScenarioFailure, of outcome: ScenarioOutcome, _ names: ScenarioNames) -> [String] {
        let place = failure.range.start
        let story = names.text(of: outcome).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return block([
            ("message", .string(failure.message)),
            ("file", .string(outcome.file)),
            ("line", .int(place.line)),
            ("column", .int(place.column)),
            ("step", .int(failure.step)),
            ("expected", .optional(failure.expected)),
            ("actual", .optional(failure.actual)),
            ("report", .array(story.map { .string(String($0)) })),
        ])
    }

    /// The members as a YAML block, each value as JSON, which is YAML.
    private static func block(_ members: [(String, JSONText)]) -> [String] {
        let lines = members.flatMap { name, value -> [String] in
            if case .array(let elements) = value { return ["  \(name):"] + elements.map { "    - \($0.text)" } }
            return ["  \(name): \(value.text)"]
        }
        return ["  ---"] + lines + ["  ..."]
    }

    /// A description without what a reader takes for an escape or a directive.
    private static func escaped(_ text: String) -> String {
        text.printable.replacing("\\", with: "\\\\").replacing("#", with: "\\#")
    }
}

extension Diagnostic {
    /// `FILE:LINE:COLUMN: CODE: MESSAGE`.
    fileprivate var placedMessage: String {
        "\(file):\(range.start.line):\(range.start.column): \(code.rawValue): \(message)" + (help.map { ", help: \($0)" } ?? "")
    }
}
