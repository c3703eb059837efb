internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineReports
internal import PipelineYAML

struct GraphCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "graph", abstract: "Draws the pipelines: tiers, fallback, write-back. Opens no source.",
        discussion:
            "Warnings of `validate` are marked where they apply. `--diff OTHER.yaml` shows what changes when OTHER replaces the file."
    )

    @OptionGroup var config: ConfigOptions
    @Argument(help: "A pipeline. Default: all.", completion: Suggestions.pipelines) var name: String?

    @Option(help: "The output format: text, mermaid, dot (Graphviz), svg, json.")
    var format = GraphFormat.text

    @Option(help: ArgumentHelp("Ask these sources in this order instead.", valueName: "a,b,c"), completion: Suggestions.order)
    var order: String?

    @Option(help: ArgumentHelp("Show what changes with this file.", valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var diff: String?

    @Option(help: "Which problems to mark: graph, or env (unset variables, too).")
    var level = Choice(ValidationLevel.graph)

    func validate() throws {
        if order != nil, name == nil { throw ValidationError("--order needs the name of a pipeline") }
        if order != nil, diff != nil { throw ValidationError("--order and --diff cannot be combined") }
        if diff != nil, level.value != .graph { throw ValidationError("--diff marks no problems; leave out --level") }
    }

    func perform() async throws {
        if let diff {
            try draw(difference: diff)
        } else {
            try draw()
        }
    }

    private func draw() throws {
        let report = try config.drawableReport(upTo: level.value)
        let pipelines = try SelectedPipelines(name: name, order: order).plans(in: report.plan, command: "graph")
        let model = GraphModel(pipelines, of: report)
        switch format {
        case .text: Console.output.show(GraphText(hasColour: Console.output.hasColour).draw(model))
        default: write(model)
        }
    }

    private func draw(difference other: String) throws {
        let old = try pipelines(of: ConfigPaths.file(at: config.config))
        let (changed, unchanged) = try selected(from: old, to: try pipelines(of: ConfigPaths.file(at: other)))
        switch format {
        case .text:
            let printer = GraphDiffText(hasColour: Console.output.hasColour)
            Console.output.show(printer.text(changed, unchanged: unchanged, from: config.config, to: other))
        case .json:
            Console.output.write(GraphDiffJSON.text(changed, unchanged: unchanged, from: config.config, to: other))
        default: write(GraphModel(pipelines: changed))
        }
    }

    /// The pipelines of a file with all that is compared.
    private func pipelines(of file: ConfigFile) throws -> [GraphPipeline] {
        let report = try ConfigOptions.drawableReport(of: file, upTo: .graph)
        let effective = EffectiveConfig(report, folder: file.folder, plugins: Program.plugins, environment: .process)
        let compared = ComparedFields(effective)
        let redactor = report.redactor
        let all = Dictionary(report.plan.pipelines.map { ($0.name, $0) }) { first, _ in first }
        return report.plan.pipelines.map { GraphPipeline($0, redactor: redactor, targets: { all[$0] }, compared: compared) }
    }

    /// The changes of all pipelines, or of the one that is named: it may be in either file.
    private func selected(from old: [GraphPipeline], to new: [GraphPipeline]) throws -> (changed: [GraphPipeline], unchanged: [String]) {
        guard let name else { return GraphDiff.changes(from: old, to: new) }
        func isNamed(_ pipeline: GraphPipeline) -> Bool { pipeline.name.utf8.elementsEqual(name.utf8) }
        guard (old + new).contains(where: isNamed) else {
            let error = UsageError.unknownPipeline(name, known: Set((old + new).map(\.name)).sorted())
            throw Usage.failure(error.message, help: error.help)
        }
        return GraphDiff.changes(from: old.filter(isNamed), to: new.filter(isNamed))
    }

    private func write(_ model: GraphModel) {
        switch format {
        case .text: Console.output.show(GraphText(hasColour: false).draw(model))
        case .mermaid: Console.output.write(GraphMermaid.draw(model))
        case .dot: Console.output.write(GraphDot.draw(model))
        case .svg: Console.output.write(GraphSVG.draw(model))
        case .json: Console.output.write(GraphJSON.text(model))
        }
    }
}

/// A format in which `graph` draws.
enum GraphFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case mermaid
    case dot
    case svg
    case json
}
