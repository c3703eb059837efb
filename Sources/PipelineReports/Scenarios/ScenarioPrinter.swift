internal import Pipeline
package import PipelineConfig
package import PipelineScenarios
internal import PipelineYAML

/// The results of tests for people: a line for each, and for a failure the place, what happened, and how to run it again.
package struct ScenarioPrinter {
    private let suite: ScenarioSuite
    private let printer: DiagnosticPrinter
    private let redactor: Redactor?
    /// The options that a command needs besides to run a test again.
    private let options: String
    private let hasColour: Bool

    package init(_ suite: ScenarioSuite, options: String, hasColour: Bool) {
        self.suite = suite
        redactor = suite.report?.redactor
        self.options = options
        self.hasColour = hasColour
        printer = DiagnosticPrinter(lines: suite.file.lines, secretRanges: suite.secretRanges, hasColour: hasColour)
    }

    /// One diagnostic of the test file.
    package func text(_ diagnostic: Diagnostic) -> String { printer.text(diagnostic) }

    /// One run, ending with a line break.
    ///
    /// - Parameter options: the options of the command that runs it again; nil for the options of every run.
    package func text(_ outcome: ScenarioOutcome, options: String? = nil) -> String {
        let (mark, colour) = outcome.hasPassed ? ("✓", 32) : ("✗", 31)
        let milliseconds = (outcome.elapsed.milliseconds * 10).rounded() / 10
        var text =
            coloured("\(mark) \(masked(outcome.title).printable)", colour) + "    \(outcome.virtual.spelling) virtual, \(milliseconds) ms\n"
        guard let failure = outcome.failure else { return text }
        let place = failure.range.start
        text += "  \(outcome.file):\(place.line):\(place.column): step \(failure.step) `\(failure.word)` at \(failure.time.spelling): "
        text += "\(failure.message.printable)\n"
        text += printer.excerpt(failure.range)
        text += story(of: outcome)
        let order = outcome.order.map { " --order \($0.asShellWord)" } ?? ""
        let test = "\(outcome.file):\(outcome.line)".asShellWord
        return text + "  again: pipe-run test \(test)\(order.printable)\(options ?? self.options)\n"
    }

    /// A line wider than that has its place where it ends.
    private static let widest = 100
    /// The numbers of lines of the beginning of a long story, and of all of it, that are shown.
    private static let (firstLines, mostLines) = (20, 200)

    private func story(of outcome: ScenarioOutcome) -> String {
        let lines = outcome.events.map { event in
            let place = event.place.map { "\(outcome.config):\($0.start.line)" }
            return (
                time: event.time.spelling, text: event.text.printable,
                place: place.map { [$0, event.placeWords].compactMap(\.self).joined(separator: " ") } ?? ""
            )
        }
        let times = (lines.map(\.time.count).max() ?? 0) + 2
        let texts = min(lines.map { TerminalWidth.of($0.text) }.max() ?? 0, Self.widest) + 3
        let shown = lines.map { line in
            let text = "  " + line.time.padded(to: times) + line.text
            guard !line.place.isEmpty else { return text + "\n" }
            return text + String(repeating: " ", count: max(3, texts - TerminalWidth.of(line.text))) + line.place + "\n"
        }
        guard shown.count > Self.mostLines else { return shown.joined() }
        let last = Self.mostLines - Self.firstLines
        let left = shown.count - Self.mostLines
        return shown.prefix(Self.firstLines).joined() + "  … and \(left) more …\n" + shown.suffix(last).joined()
    }

    /// The name of a test, which may hold a secret as any text may.
    private func masked(_ text: String) -> String { redactor?.redacted(text) ?? text }

    private func coloured(_ text: String, _ colour: Int) -> String {
        hasColour ? "\u{1B}[\(colour)m\(text)\u{1B}[0m" : text
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
