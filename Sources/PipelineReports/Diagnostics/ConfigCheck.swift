internal import Pipeline
package import PipelineConfig
package import PipelineYAML

/// One file with what was found in it.
package struct ConfigCheck {
    package let file: ConfigFile
    package private(set) var diagnostics: [Diagnostic]
    let secretRanges: [TextRange]
    /// What the sources said, where they were asked.
    package private(set) var sources: [SourceCheck] = []
    private let report: ConfigReport?
    private let filter: DiagnosticFilter?

    package init(_ file: ConfigFile, plugins: [SourcePlugin], level: ValidationLevel, filter: DiagnosticFilter) {
        let report = file.report(plugins: plugins, level: level)
        self.file = file
        self.report = report
        self.filter = filter
        diagnostics = filter.filtered(report.diagnostics)
        secretRanges = report.secretRanges
    }

    /// A folder without configurations is most likely a mistake.
    package init(folderWithoutFiles path: String) {
        file = ConfigFile(text: [], name: path)
        report = nil
        filter = nil
        diagnostics = [
            Diagnostic(
                .unreadable, "there is no .yaml or .yml file below `\(path)`", file: path, range: .beginning,
                help: "name the file itself when it ends otherwise")
        ]
        secretRanges = []
    }

    /// The same with what the sources of the file say when they are asked.
    package func checkingSources() async -> ConfigCheck {
        guard let report else { return self }
        var check = self
        check.sources = await report.checkingSources()
        let found = check.sources.compactMap(\.diagnostic)
        check.diagnostics = (diagnostics + (filter?.filtered(found) ?? found)).inReadingOrder()
        return check
    }

    /// The same with every warning counted as an error.
    package func denyingWarnings() -> ConfigCheck {
        var check = self
        check.diagnostics = diagnostics.map(\.asError)
        return check
    }

    /// How the problems of this file are printed.
    package func printer(hasColour: Bool) -> DiagnosticPrinter {
        DiagnosticPrinter(lines: file.lines, secretRanges: secretRanges, hasColour: hasColour)
    }
}

extension Sequence where Element == ConfigCheck {
    /// The same with what the sources of all files say, asked at the same time.
    package func checkingSources() async -> [ConfigCheck] {
        await withTaskGroup(of: (Int, ConfigCheck).self) { group in
            for (index, check) in enumerated() { group.addTask { (index, await check.checkingSources()) } }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
