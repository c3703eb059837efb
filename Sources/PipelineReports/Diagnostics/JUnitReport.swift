internal import PipelineConfig
internal import PipelineYAML

/// Diagnostics as a JUnit report: a suite for each file, in it a case for each problem, or one that passes.
///
/// An error is a failure. A warning or a note is a skipped case: viewers show it, and do not count it as a failure.
package enum JUnitReport {
    package static func text(_ checks: [ConfigCheck]) -> String {
        let all = checks.flatMap(\.diagnostics)
        let tests = checks.map { max(1, $0.diagnostics.count) }.reduce(0, +)
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="pipe-run validate" \(counts(of: all, tests: tests))>
            \(checks.map(suite).joined())</testsuites>

            """
    }

    private static func suite(_ check: ConfigCheck) -> String {
        let name = XMLText.escaped(FileURI.withoutDot(check.file.name))
        let printer = check.printer(hasColour: false)
        var names = CaseNames()
        let cases = check.diagnostics.map { diagnostic in
            """
                <testcase name="\(XMLText.escaped(names.next(diagnostic)))" classname="\(name)" file="\(name)" \
            line="\(diagnostic.range.start.line)" time="0">
            \(outcome(diagnostic, printer))    </testcase>

            """
        }
        let passed = "    <testcase name=\"no problems\" classname=\"\(name)\" file=\"\(name)\" time=\"0\"/>\n"
        return """
              <testsuite name="\(name)" \(counts(of: check.diagnostics, tests: max(1, cases.count)))>
            \(cases.isEmpty ? passed : cases.joined())  </testsuite>

            """
    }

    private static func outcome(_ diagnostic: Diagnostic, _ printer: DiagnosticPrinter) -> String {
        let message = XMLText.escaped(diagnostic.message)
        return diagnostic.severity == .error
            ? """
                  <failure type="\(diagnostic.code.rawValue)" message="\(message)">\(XMLText.lines(printer.text(diagnostic)))</failure>

            """
            : """
                  <skipped message="\(diagnostic.severity.rawValue): \(message)">\(XMLText.lines(printer.text(diagnostic)))</skipped>

            """
    }

    private static func counts(of diagnostics: [Diagnostic], tests: Int) -> String {
        let failures = diagnostics.count { $0.severity == .error }
        return "tests=\"\(tests)\" failures=\"\(failures)\" errors=\"0\" skipped=\"\(diagnostics.count - failures)\" time=\"0\""
    }
}

/// The names of the cases of one suite: each once, and the same when lines are put in above, so that viewers can tell what is new.
private struct CaseNames {
    private var counts: [String: Int] = [:]

    mutating func next(_ diagnostic: Diagnostic) -> String {
        let name = "\(diagnostic.code.rawValue) \(diagnostic.message)"
        counts[name, default: 0] += 1
        let count = counts[name] ?? 1
        return count == 1 ? name : "\(name) (\(count))"
    }
}
