package import PipelineConfig

/// A configuration, or a test file, with every certain fix applied.
package struct FixedFile {
    /// The file with the edits in it; nothing is written.
    package private(set) var file: ConfigFile
    /// The problems that are gone, each at the place it had when it was fixed.
    package private(set) var fixed: [Diagnostic] = []
    /// The findings that are left in the fixed file.
    package private(set) var report: Findings
    /// The places of secrets in the text before.
    package let secretRangesBefore: [TextRange]

    /// The problems of a file, and the facts that fixing them needs.
    package struct Findings {
        package let diagnostics: [Diagnostic]
        /// The places of secrets in the text.
        package let secretRanges: [TextRange]
        /// Indicates whether the text could be read as a document.
        fileprivate let hasDocument: Bool

        package init(_ diagnostics: [Diagnostic], secretRanges: [TextRange], hasDocument: Bool) {
            (self.diagnostics, self.secretRanges, self.hasDocument) = (diagnostics, secretRanges, hasDocument)
        }
    }

    private let reading: (ConfigFile) -> Findings

    /// The number of rounds: one edit may bring up a problem that another fixes.
    private static let mostRounds = 8
    /// The number of edits that are tried one by one if all at once do not help; a hostile file must not take long.
    private static let mostTrials = 50
    /// A section hides types, a type fields, a field its value.
    private static let mostRoundsAhead = 3

    /// Fixes `file`: no edit is kept after which the file has as many problems as before, also when those that it uncovers are fixed.
    package init(
        _ file: ConfigFile, plugins: [SourcePlugin], environment: ConfigEnvironment = .process, level: ValidationLevel = .env
    ) {
        self.init(file) { file in
            let report = file.report(plugins: plugins, environment: environment, level: level)
            return Findings(report.diagnostics, secretRanges: report.secretRanges, hasDocument: report.document != nil)
        }
    }

    /// Fixes a file that `reading` looks through, in the same way.
    package init(_ file: ConfigFile, reading: @escaping (ConfigFile) -> Findings) {
        self.reading = reading
        self.file = file
        report = reading(file)
        secretRangesBefore = report.secretRanges
        guard file.isReadable else { return }
        for _ in 0..<Self.mostRounds { guard fix() else { return } }
    }

    /// Makes all edits that help; false when none does.
    private mutating func fix() -> Bool {
        let fixable = report.diagnostics.filter { $0.fix != nil }
        guard !fixable.isEmpty else { return false }
        if let all = helpful(fixable) { return keep(all) }
        // One of them does not help, or brings up more than it fixes: each has to show what it does alone.
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
    /// The result of some edits.
    private struct Trial {
        let file: ConfigFile
        let report: Findings
        let fixed: [Diagnostic]
        /// The number by which the problems become fewer.
        let gain: Int
    }

    /// The result of the edits for `diagnostics`, if each of them makes a problem less.
    private func helpful(_ diagnostics: [Diagnostic]) -> Trial? {
        helpful(diagnostics, in: file, with: report, roundsAhead: Self.mostRoundsAhead)
    }

    /// A fixed section or type uncovers what stands in it: a problem that only then shows up, and has a certain fix, counts for
    /// nothing when it is fixed, too.
    private func helpful(_ diagnostics: [Diagnostic], in file: ConfigFile, with report: Findings, roundsAhead: Int) -> Trial? {
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

    /// The result of the edits for `diagnostics` in `file`, of which `report` tells.
    private func trial(_ diagnostics: [Diagnostic], in file: ConfigFile, with report: Findings) -> Trial? {
        let edit = TextEdit.applied(diagnostics.compactMap(\.fix), to: file.text)
        guard !edit.made.isEmpty, edit.text != file.text else { return nil }
        let changed = file.with(edit.text)
        let after = reading(changed)
        let fixed = edit.made.map { diagnostics[$0] }
        return Trial(file: changed, report: after, fixed: fixed, gain: gain(of: after, over: report, edits: fixed.count))
    }

    /// The number of problems that `after` has fewer; errors count, and where both have as many, warnings.
    ///
    /// Behind a syntax error nothing is looked at: what is behind it may well be more, as long as the error itself is gone.
    private func gain(of after: Findings, over before: Findings, edits: Int) -> Int {
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

extension FixedFile.Findings {
    /// The error that kept the document from being looked at.
    fileprivate var firstSyntaxError: Diagnostic? { hasDocument ? nil : diagnostics.first { $0.severity == .error } }

    fileprivate var errorCount: Int { diagnostics.count { $0.severity == .error } }
}

extension Diagnostic {
    /// The text that tells it from others whatever was fixed on its line; no edit moves a line.
    fileprivate var summary: String { "\(range.start.line) \(code.rawValue) \(message)" }
}

/// Makes edits in a text; every byte besides stays as it is.
package enum TextEdit {
    /// The text with the replacements of `fixes`. Of edits that overlap, the first is made. Also gives which fixes were made.
    package static func applied(_ fixes: [TextFix], to text: [UInt8]) -> (text: [UInt8], made: [Int]) {
        let lines = SourceLines(text)
        var edits: [(range: Range<Int>, text: String)] = []
        var made: [Int] = []
        for (index, fix) in fixes.enumerated() {
            let own = fix.replacements.compactMap { replacement -> (range: Range<Int>, text: String)? in
                guard let start = lines.byte(at: replacement.range.start), let end = lines.byte(at: replacement.range.end), start <= end
                else { return nil }
                return (start..<end, replacement.text)
            }
            guard own.count == fix.replacements.count else { continue }
            let isThere = own.allSatisfy { edit in edits.contains { $0.range == edit.range && $0.text == edit.text } }
            let collides = own.contains { edit in edits.contains { $0.range.touches(edit.range) } }
            guard isThere || !collides else { continue }
            if !isThere { edits += own }
            made.append(index)
        }
        var result: [UInt8] = []
        var position = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += text[position..<edit.range.lowerBound]
            result += Array(edit.text.utf8)
            position = edit.range.upperBound
        }
        return (result + text[position...], made)
    }
}

extension Range<Int> {
    /// Indicates whether both replace a common part, or both put something in at one place.
    fileprivate func touches(_ other: Range<Int>) -> Bool {
        overlaps(other) || lowerBound == other.lowerBound || (isEmpty && other.contains(lowerBound))
            || (other.isEmpty && contains(other.lowerBound))
    }
}
