internal import ArgumentParser
internal import PipelineConfig
internal import PipelineJSON
internal import PipelineNetwork
internal import PipelineReports
internal import PipelineYAML

struct NetworkCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "network", abstract: "Shows the limits of each origin that a pipeline asks, and its current state.",
        discussion: """
            A pipeline includes the origins of the pipelines that it is made from or links to. With --serve, shows what a running `serve` \
            measures at its origins: the limit of requests at once, the requests that run and that wait, the time that a rest still takes, \
            response times, the share of failures, the budget left for retries, and how many second requests won. Without it, shows the \
            limits of the configuration: where several sources ask one origin, the strictest.
            """)

    @OptionGroup var config: ConfigOptions
    @Argument(help: "A pipeline. Default: all.", completion: Suggestions.pipelines) var name: String?

    @Option(help: ArgumentHelp("The address of a running `serve`, as in http://127.0.0.1:8080.", valueName: "url"))
    var serve: String?

    @Flag(help: "End all rests of that `serve` first: its requests are sent again at once.") var wake = false

    @Option(help: "The output format.") var format = ListFormat.text

    func validate() throws {
        if wake, serve == nil { throw ValidationError("--wake needs --serve") }
    }

    func perform() async throws {
        guard let serve else {
            let origins = try declared()
            return print(DeclaredOrigin.heads, origins.map(\.row), json: origins.map(\.json), none: "no pipeline asks a server")
        }
        let wanted = try name == nil ? nil : declared().map(\.origin)
        if wake { try await RunningServe(url: serve).wake() }
        var origins = ServedOrigin.all(in: try await RunningServe(url: serve).metrics())
        // Where a parameter decides which host is asked, any may be one of the pipeline's.
        if let wanted, !wanted.contains(nil) {
            let names = Set(wanted.compactMap { $0?.description })
            origins = origins.filter { names.contains($0.origin) }
        }
        print(ServedOrigin.heads, origins.map(\.row), json: origins.map(\.json), none: "no origin has been asked yet")
    }

    private func declared() throws -> [DeclaredOrigin] {
        let file = try ConfigPaths.file(at: config.config)
        let report = try ConfigOptions.report(of: file, mayLack: { _ in true })
        let plans = try SelectedPipelines(name: name, order: nil).plans(in: report.plan, command: "network")
        return DeclaredOrigin.all(
            of: plans + report.plan.made(of: plans), among: report.plan.pipelines,
            in: EffectiveConfig(report, folder: file.folder, plugins: Program.plugins, environment: .process))
    }

    private func print(_ heads: [String], _ rows: [[String]], json: [JSONText], none: String) {
        switch format {
        case .text: Console.output.show(rows.isEmpty ? none + "\n" : TextTable.text(rows, head: heads))
        case .json: Console.output.writeLine(JSONText.object([("origins", .array(json))]).text)
        }
    }
}
