package import PipelineConfig

/// A configuration with what can be mended for certain mended.
package struct FixedFile {
    /// The file with the edits in it; nothing is written.
    package private(set) var file: ConfigFile
    /// The problems that are gone, each at the place it had when it was mended.
    package private(set) var fixed: [Diagnostic] = []
    /// What there is to say of the mended file.
    package private(set) var report: ConfigReport

    private let reading: (ConfigFile) -> ConfigReport

    /// One edit may bring up a problem that another mends.
    private static let mostRounds = 8
    /// So many edits are tried one by one when all at once do not help; a hostile file must not take long.
    private static let mostTrials = 50
    /// A section hides types, a type fields, a field its value.
    private static let mostRoundsAhead = 3

    /// Mends `file`: no edit is kept after which the file has as many problems as before, also when those that it uncovers are mended.
    package init(
        _ file: ConfigFile, plugins: [SourcePlugin], environment: ConfigEnvironment = .process, level: ValidationLevel = .env
    ) {
        reading = { $0.report(plugins: plugins, environment: environment, level: level) }
        self.file = file
        report = reading(file)
        guard file.isReadable else { return }
        for _ in 0..<Self.mostRounds { guard mend() else { return } }
    }

    /// Makes all edits that help; false when none does.
    private mutating func mend() -> Bool {
        let fixable = report.diagnostics.filter { $0.fix != nil }
        guard !fixable.isEmpty else { return false }
        if let all = helpful(fixable) { return keep(all) }
        // One of them does not help, or brings up more than it mends: each has to show what it does alone.
        let alone = fixable.prefix(Self.mostTrials).filter { helpful([$0]) != nil }
        guard let first = alone.first else { return false }
        return (helpful(alone) ?? helpful([first])).map { keep($0) } ?? false
    }

    private mutating func keep(_ trial: Trial) -> Bool {
        (file, report) = (trial.file, trial.report)
        fixed += trial.fixed
        return true
    }
}

extension FixedFile {
    /// What some edits come to.
    private struct Trial {
        let file: ConfigFile
        let report: ConfigReport
        let fixed: [Diagnostic]
        /// How many problems fewer there are.
        let gain: Int
    }

    /// What the edits for `diagnostics` come to, when each of them makes a problem less.
    private func helpful(_ diagnostics: [Diagnostic]) -> Trial? {
        helpful(diagnostics, in: file, with: report, roundsAhead: Self.mostRoundsAhead)
    }

    /// A mended section or type lets what stands in it be looked at: what only then shows up, and can be mended for certain, counts for
    /// nothing when it is mended, too.
    private func helpful(_ diagnostics: [Diagnostic], in file: ConfigFile, with report: ConfigReport, roundsAhead: Int) -> Trial? {
        guard let trial = trial(diagnostics, in: file, with: report) else { return nil }
        if trial.gain >= trial.fixed.count { return trial }
        guard roundsAhead > 0 else { return nil }
        let before = Set(report.diagnostics.map(\.summary))
        let uncovered = trial.report.diagnostics.filter { $0.fix != nil && !before.contains($0.summary) }
        guard !uncovered.isEmpty,
            let next = helpful(uncovered, in: trial.file, with: trial.report, roundsAhead: roundsAhead - 1)
        else { return nil }
        let gain = gain(of: next.report, over: report, edits: trial.fixed.count)
        guard gain >= trial.fixed.count else { return nil }
        return Trial(file: next.file, report: next.report, fixed: trial.fixed + next.fixed, gain: gain)
    }

    /// What the edits for `diagnostics` come to in `file`, of which `report` tells.
    private func trial(_ diagnostics: [Diagnostic], in file: ConfigFile, with report: ConfigReport) -> Trial? {
        let edit = TextEdit.applied(diagnostics.compactMap(\.fix), to: file.text)
        guard !edit.made.isEmpty, edit.text != file.text else { return nil }
        let mended = file.with(edit.text)
        let after = reading(mended)
        let fixed = edit.made.map { diagnostics[$0] }
        return Trial(file: mended, report: after, fixed: fixed, gain: gain(of: after, over: report, edits: fixed.count))
    }

    /// How many problems fewer `after` has; errors count, and where those are as many, warnings.
    ///
    /// Behind a syntax error nothing is looked at: what is behind it may well be more, as long as the error itself is gone.
    private func gain(of after: ConfigReport, over before: ConfigReport, edits: Int) -> Int {
        if let error = before.firstSyntaxError {
            guard let next = after.firstSyntaxError else { return edits }
            return error.range.end < next.range.start ? edits : 0
        }
        guard after.firstSyntaxError == nil else { return 0 }
        let errors = before.errorCount - after.errorCount
        let problems = before.diagnostics.count - after.diagnostics.count
        return errors < 0 ? 0 : errors == 0 ? problems : max(errors, problems)
    }
}

extension ConfigReport {
    /// The error that kept the document from being looked at.
    fileprivate var firstSyntaxError: Diagnostic? { document == nil ? diagnostics.first { $0.severity == .error } : nil }

    fileprivate var errorCount: Int { diagnostics.count { $0.severity == .error } }
}

extension Diagnostic {
    /// What tells it from others whatever was mended on its line; no edit moves a line.
    fileprivate var summary: String { "\(range.start.line) \(code.rawValue) \(message)" }
}
