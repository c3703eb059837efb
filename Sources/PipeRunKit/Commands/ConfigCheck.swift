internal import Pipeline
internal import PipelineYAML

/// One file with what was found in it.
struct ConfigCheck {
    let file: ConfigFile
    let diagnostics: [Diagnostic]
    let secretRanges: [TextRange]

    init(_ file: ConfigFile, level: ValidationLevel, filter: DiagnosticFilter) {
        let report = file.report(plugins: PipeRun.plugins, level: level)
        self.file = file
        diagnostics = filter.filtered(report.diagnostics)
        secretRanges = report.secretRanges
    }

    /// A folder without configurations is most likely a mistake.
    init(folderWithoutFiles path: String) {
        file = ConfigFile(text: [], name: path)
        diagnostics = [
            Diagnostic(
                .unreadable, "there is no .yaml or .yml file below `\(path)`", file: path, range: .beginning,
                help: "name the file itself when it ends otherwise")
        ]
        secretRanges = []
    }
}
