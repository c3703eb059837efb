internal import Pipeline
package import PipelineConfig
internal import PipelineJSON
package import PipelineScenarios
internal import PipelineYAML

/// The results of tests for programs: JSON, JUnit, TAP and the commands of a GitHub workflow, each a pure function of the results.
package struct ScenarioReport {
    let tested: [TestedSuite]
    /// The options that a command needs besides to run a test again.
    let options: @Sendable (ScenarioOutcome) -> String

    package init(_ tested: [TestedSuite], options: @escaping @Sendable (ScenarioOutcome) -> String = { _ in "" }) {
        (self.tested, self.options) = (tested, options)
    }

    /// The problems that keep the tests of a file from running; none if they ran.
    func problems(of tested: TestedSuite) -> [ScenarioProblem] {
        tested.suite.isUsable ? [] : tested.suite.problems(hasColour: false).filter { $0.diagnostic.severity == .error }
    }
}

/// The names of the runs of one file, and the words for them.
struct ScenarioNames {
    private let redactor: Redactor?
    private let printer: ScenarioPrinter
    private let options: @Sendable (ScenarioOutcome) -> String
    private let hasSeveralSeeds: Bool

    init(_ tested: TestedSuite, options: @escaping @Sendable (ScenarioOutcome) -> String) {
        redactor = tested.suite.report?.redactor
        printer = ScenarioPrinter(tested.suite, options: "", hasColour: false)
        self.options = options
        hasSeveralSeeds = tested.outcomes.contains { $0.seed != tested.outcomes[0].seed }
    }

    /// The name of a run in its file: each once, also where tests run with several seeds.
    func name(of outcome: ScenarioOutcome) -> String {
        let title = masked(outcome.title)
        return hasSeveralSeeds ? "\(title), seed \(outcome.seed)" : title
    }

    func masked(_ text: String) -> String { redactor?.redacted(text) ?? text }

    /// A failure as people read it: the place, what happened, and how to run it again.
    func text(of outcome: ScenarioOutcome) -> String { printer.text(outcome, options: options(outcome)) }
}

/// A diagnostic of a test file or of its configuration.
package struct ScenarioProblem {
    package let diagnostic: Diagnostic
    /// The diagnostic as people read it, ending with a line break.
    package let text: String
}

extension ScenarioSuite {
    /// The problems of the test file, and the errors of its configuration.
    package func problems(hasColour: Bool) -> [ScenarioProblem] {
        let own = DiagnosticPrinter(lines: file.lines, secretRanges: secretRanges, hasColour: hasColour)
        let problems = diagnostics.map { ScenarioProblem(diagnostic: $0, text: own.text($0)) }
        guard let report, let config else { return problems }
        let printer = DiagnosticPrinter(lines: config.lines, secretRanges: report.secretRanges, hasColour: hasColour)
        return problems
            + report.diagnostics.filter { $0.severity == .error }.map { ScenarioProblem(diagnostic: $0, text: printer.text($0)) }
    }
}

extension ScenarioReport {
    /// A list with an object for each run, each on a line of its own.
    package var json: String {
        let elements = tested.flatMap { tested in
            let names = ScenarioNames(tested, options: options)
            return tested.outcomes.map { Self.element($0, name: names.masked($0.name)) }
        }
        return JSONText.lines(elements).text + "\n"
    }

    private static func element(_ outcome: ScenarioOutcome, name: String) -> JSONText {
        let failure = outcome.failure
        return .object([
            ("file", .string(outcome.file)),
            ("line", .int(outcome.line)),
            ("name", .string(name)),
            ("order", .optional(outcome.order)),
            ("outcome", .string(outcome.hasPassed ? "passed" : "failed")),
            ("ms", .milliseconds(outcome.elapsed.milliseconds)),
            ("virtual_ms", .milliseconds(outcome.virtual.milliseconds)),
            ("step", failure.map { .int($0.step) } ?? .null),
            ("expected", .optional(failure?.expected)),
            // Of a step that fails by itself there is no value: the sentence says what happened.
            ("actual", .optional(failure.map { $0.actual ?? $0.message })),
            ("trace", .array(outcome.events.map { event(of: $0, in: outcome.config) })),
            ("digest", .string(KeyHash.digits(of: outcome.digest))),
        ])
    }

    private static func event(of event: ScenarioEvent, in config: String) -> JSONText {
        let place = event.place.map { "\(config):\($0.start.line)" }
        return .object([
            ("virtual_ms", .milliseconds(event.time.milliseconds)),
            ("step", .int(event.step)),
            ("text", .string(event.text)),
            ("place", .optional(place)),
        ])
    }
}

extension ScenarioReport {
    /// A JUnit report: a suite for each file, in it a case for each test in each order. A file that cannot be used has a case for each of
    /// its errors.
    package var junit: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="pipe-run test" \(counts(of: tested))>
        \(tested.map(suite).joined())</testsuites>

        """
    }

    private func suite(_ tested: TestedSuite) -> String {
        let file = XMLText.escaped(FileURI.withoutDot(tested.suite.file.name))
        let names = ScenarioNames(tested, options: options)
        let cases = tested.outcomes.map { outcome in
            let opening = """
                    <testcase name="\(XMLText.escaped(names.name(of: outcome)))" classname="\(file)" file="\(file)" \
                line="\(outcome.line)" time="\(Self.seconds(outcome.elapsed))"
                """
            guard let failure = outcome.failure else { return opening + "/>\n" }
            let type = XMLText.escaped(failure.field.isEmpty ? failure.word : failure.field)
            let message = XMLText.escaped(failure.message)
            return opening + ">\n" + """
                      <failure type="\(type)" message="\(message)">\(XMLText.lines(names.text(of: outcome)))</failure>
                    </testcase>

                """
        }
        let errors = problems(of: tested).enumerated().map { index, problem in
            let diagnostic = problem.diagnostic
            return """
                    <testcase name="\(diagnostic.code.rawValue) \(index + 1)" classname="\(file)" \
                file="\(XMLText.escaped(FileURI.withoutDot(diagnostic.file)))" line="\(diagnostic.range.start.line)" time="0">
                      <error type="\(diagnostic.code.rawValue)" message="\(XMLText.escaped(diagnostic.message))">\
                \(XMLText.lines(problem.text))</error>
                    </testcase>

                """
        }
        return "  <testsuite name=\"\(file)\" \(counts(of: [tested]))>\n" + (errors + cases).joined() + "  </testsuite>\n"
    }

    private func counts(of tested: [TestedSuite]) -> String {
        let outcomes = tested.flatMap(\.outcomes)
        let errors = tested.map { problems(of: $0).count }.reduce(0, +)
        let time = outcomes.map(\.elapsed).reduce(.zero, +)
        return "tests=\"\(outcomes.count + errors)\" failures=\"\(outcomes.count { !$0.hasPassed })\" errors=\"\(errors)\" "
            + "skipped=\"0\" time=\"\(Self.seconds(time))\""
    }

    /// Seconds to the microsecond.
    private static func seconds(_ duration: Duration) -> String {
        let digits = String(Int64((duration.milliseconds * 1000).rounded()) % 1_000_000 + 1_000_000).dropFirst()
        return "\(Int64(duration.milliseconds * 1000) / 1_000_000).\(digits)"
    }
}

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

extension ScenarioReport {
    /// A command of a GitHub workflow for each failure, at what was expected; one line each, and none where every test passed.
    package var github: String {
        let lines = tested.flatMap { tested in
            let names = ScenarioNames(tested, options: options)
            return tested.outcomes.compactMap { outcome in
                outcome.failure.map { failure in
                    // The first line of the report is the title.
                    let report = names.text(of: outcome).split(separator: "\n").dropFirst().joined(separator: "\n")
                    return WorkflowCommands.line(
                        "error", file: outcome.file, at: failure.range, title: names.name(of: outcome).printable,
                        "\(failure.message.printable)\n\(report)") + "\n"
                }
            }
        }
        let none =
            tested.allSatisfy { $0.outcomes.isEmpty && $0.suite.isUsable } ? ["::error title=pipe-run test::no test was found\n"] : []
        return (tested.map { WorkflowCommands.text(problems(of: $0).map(\.diagnostic)) } + lines + none).joined()
    }
}
