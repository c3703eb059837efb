internal import Pipeline
internal import PipelineConfig
internal import PipelineScenarios
internal import PipelineYAML

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
