internal import ArgumentParser
internal import PipelineConfig
internal import PipelineReports
internal import PipelineYAML

struct ExplainCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "explain", abstract: "Explains in plain sentences what a pipeline does, each with the line it follows from.",
        discussion: "Opens no source. Variables that do not affect the result, as in a URL, need not be set.")

    @OptionGroup var config: ConfigOptions
    @Argument(help: "A pipeline. Default: all.", completion: Suggestions.pipelines) var name: String?

    @Option(help: ArgumentHelp("Explain this order of sources instead, such as a,b.", valueName: "a,b,c"), completion: Suggestions.order)
    var order: String?

    @Option(help: "The output format: text, json.")
    var format = ExplainFormat.text

    func validate() throws {
        if order != nil, name == nil { throw ValidationError("--order needs the name of a pipeline") }
    }

    func perform() async throws {
        let file = try ConfigPaths.file(at: config.config)
        let report = try ConfigOptions.report(
            of: file,
            tolerating: { diagnostic, report in
                diagnostic.code.level == .env && report.leavesPoliciesAlone(diagnostic, plugins: Program.plugins)
            })
        let plans = try SelectedPipelines(name: name, order: order).plans(in: report.plan, command: "explain")
        let effective = EffectiveConfig(report, folder: file.folder, plugins: Program.plugins, environment: .process)
        let limits = SourceLimits.of(effective, plugins: Program.plugins)
        let redactor = report.redactor
        let sharings = SourceSharing.of(effective, plugins: Program.plugins)
        let explanations = plans.map {
            Explanation(
                $0, sourceLimits: limits, sharings: sharings, isTried: order != nil, among: report.plan.pipelines,
                changedBy: report.plan.sends, redactor: redactor)
        }
        switch format {
        case .text:
            let (hasColour, columns) = (Console.output.hasColour, Console.output.columns)
            Console.output.show(ExplanationText(file: file.name, hasColour: hasColour, columns: columns).text(explanations))
        case .json: Console.output.write(ExplanationJSON.text(explanations, file: file.name))
        }
    }
}

extension ConfigReport {
    /// Indicates whether a problem lies in a template of a source: what is missing there decides where to ask, and nothing that is
    /// explained.
    fileprivate func leavesPoliciesAlone(_ diagnostic: Diagnostic, plugins: [SourcePlugin]) -> Bool {
        let parts = ConfigParts(document).parts(of: diagnostic)
        guard !parts.isEmpty else { return false }
        return parts.allSatisfy { part in
            guard case .source(let name) = part, let source = document?.member("sources")?.member(name) else { return false }
            let type = plan.sources.first { $0.name.utf8.elementsEqual(name.utf8) }?.type
            let templates = plugins.first { $0.name == type }?.declarations.filter(\.type.isTemplate).map(\.name) ?? []
            return source.members.contains { member in
                templates.contains(member.key) && member.value.target.range.start <= diagnostic.range.start
                    && diagnostic.range.end <= member.value.target.range.end
            }
        }
    }
}

extension FieldType {
    fileprivate var isTemplate: Bool {
        switch self {
        case .url, .path, .template, .secret: true
        case .list(let element, _): element.isTemplate
        case .map(let value, _, _): value.isTemplate
        default: false
        }
    }
}

/// A format in which `explain` prints.
enum ExplainFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
}

struct ExplainCodeCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "explain-code", abstract: "Explains a diagnostic code, with an example and its correction.",
        discussion: "Without a code, lists all codes.")

    static let takesConfig = false

    @Argument(help: ArgumentHelp("The code, such as P201.", valueName: "code"), completion: Suggestions.code)
    var code: String?

    func perform() async throws {
        if let code { return Console.output.show(try CodeArgument.code(code).page.text) }
        for code in DiagnosticCode.allCases {
            let severity = code.severity.rawValue
            let gap = String(repeating: " ", count: 9 - severity.utf8.count)
            Console.output.writeLine("\(code.rawValue)  \(severity)\(gap)\(code.page.title)")
        }
    }
}
