internal import PipelineConfig
internal import PipelineReports
internal import PipelineYAML

/// Mends files, and says on standard error what it did.
struct Mending {
    let level: ValidationLevel
    /// Whether the changes are printed instead of written.
    let onlyShows: Bool
    /// How many problems were mended.
    private(set) var count = 0
    /// Whether a file that was to change could not be written.
    private(set) var hasFailed = false

    init(level: ValidationLevel, onlyShows: Bool) {
        self.level = level
        self.onlyShows = onlyShows
    }

    /// The file as it is afterwards.
    ///
    /// - Parameter isInput: whether it came from standard input, so that its text goes to standard output.
    mutating func mend(_ file: ConfigFile, isInput: Bool) -> ConfigFile {
        let mended = FixedFile(file, plugins: PipeRun.plugins, level: level)
        if onlyShows {
            show(mended, of: file)
        } else if isInput {
            if file.text.count <= ConfigLimits().bytes { Console.output.write(mended.file.text) }
        } else if !mended.fixed.isEmpty {
            do throws(ReplacedFile.Problem) {
                try ReplacedFile.replace(file, with: mended.file.text)
            } catch {
                Console.say("cannot write `\(file.name)`: \(error.reason)")
                hasFailed = true
                return file
            }
        }
        count += mended.fixed.count
        for diagnostic in mended.fixed { Console.error.writeLine(Self.words(for: diagnostic, isDone: !onlyShows)) }
        return mended.file
    }

    private func show(_ mended: FixedFile, of file: ConfigFile) {
        guard !mended.fixed.isEmpty else { return }
        let secrets = file.report(plugins: PipeRun.plugins, level: level).secretRanges
        let origins = Array(1...max(1, file.lines.count))
        let diff = UnifiedDiff(
            old: file, new: mended.file, origins: origins, secrets: secrets, newSecrets: mended.report.secretRanges)
        Console.output.write(diff.text(hasColour: Console.output.hasColour))
    }

    private static func words(for diagnostic: Diagnostic, isDone: Bool) -> String {
        let start = diagnostic.range.start
        let summary = diagnostic.fix.map { ": " + $0.summary } ?? ""
        return "\(diagnostic.file):\(start.line):\(start.column): \(isDone ? "fixed" : "to fix"): \(diagnostic.message)\(summary)".printable
    }
}
