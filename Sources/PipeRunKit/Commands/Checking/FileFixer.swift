internal import PipelineConfig
internal import PipelineReports
internal import PipelineScenarios
internal import PipelineSimulation
internal import PipelineYAML

/// Fixes files, and reports on standard error what it did.
struct FileFixer {
    let level: ValidationLevel
    /// Indicates whether the changes are printed instead of written.
    let onlyShows: Bool
    /// The number of problems that were fixed.
    private(set) var count = 0
    /// Indicates whether a file that was to change could not be written.
    private(set) var hasFailed = false

    init(level: ValidationLevel, onlyShows: Bool) {
        self.level = level
        self.onlyShows = onlyShows
    }

    /// The file as it is afterwards.
    ///
    /// - Parameter isInput: whether it came from standard input, so that its text goes to standard output.
    mutating func fix(_ file: ConfigFile, isInput: Bool) -> ConfigFile {
        // A file that was fixed under another name has another text by now.
        let file = isInput || count == 0 || onlyShows ? file : ConfigFile(path: file.name)
        let changed = changed(file)
        if onlyShows {
            show(changed, of: file)
        } else if isInput {
            if file.text.count <= ConfigLimits().bytes { Console.output.write(changed.file.text) }
        } else if !changed.fixed.isEmpty {
            do throws(ReplacedFile.Problem) {
                try ReplacedFile.replace(file, with: changed.file.text)
            } catch {
                Console.say("cannot write `\(file.name)`: \(error.reason)")
                hasFailed = true
                return file
            }
        }
        count += changed.fixed.count
        for diagnostic in changed.fixed { Console.error.writeLine(Self.words(for: diagnostic, isDone: !onlyShows)) }
        return changed.file
    }

    private func changed(_ file: ConfigFile) -> FixedFile {
        if SimulationModel.isModelFile(file.name) {
            return FixedFile(file) { [level] file in
                let problems = SimulationModel.check(file, plugins: Program.plugins).filter { $0.code.level <= level }
                return FixedFile.Findings(problems, secretRanges: [], hasDocument: file.document().0 != nil)
            }
        }
        guard ScenarioSuite.isTestFile(file.name) else { return FixedFile(file, plugins: Program.plugins, level: level) }
        return FixedFile(file) { [level] file in
            let suite = ScenarioSuite(file, plugins: Program.plugins)
            let problems = suite.diagnostics.filter { $0.code.level <= level }
            return FixedFile.Findings(problems, secretRanges: suite.secretRanges, hasDocument: suite.hasDocument)
        }
    }

    private func show(_ changed: FixedFile, of file: ConfigFile) {
        guard !changed.fixed.isEmpty else { return }
        let origins = Array(1...max(1, file.lines.count))
        let diff = UnifiedDiff(
            old: file, new: changed.file, origins: origins, secrets: changed.secretRangesBefore, newSecrets: changed.report.secretRanges)
        Console.output.write(diff.text(hasColour: Console.output.hasColour))
    }

    private static func words(for diagnostic: Diagnostic, isDone: Bool) -> String {
        let start = diagnostic.range.start
        let summary = diagnostic.fix.map { ": " + $0.summary } ?? ""
        return "\(diagnostic.file):\(start.line):\(start.column): \(isDone ? "fixed" : "to fix"): \(diagnostic.message)\(summary)".printable
    }
}
