package import PipelineConfig

/// The content of a `graph`: the pipelines with their tiers, and the ways of answers. Every format prints this and nothing else.
package struct GraphModel: Hashable {
    /// The pipelines, in the order of the file.
    var pipelines: [GraphPipeline]
    /// The problems that concern none of the pipelines.
    var problems: [GraphProblem] = []
    /// The sends, in the order of the file.
    private(set) var sends: [GraphSend] = []

    /// The drawing of `pipelines`, which were planned by `report`.
    package init(_ pipelines: [PipelinePlan], of report: ConfigReport) {
        let parts = ConfigParts(report.document)
        let redactor = report.redactor
        var marks: [ConfigParts.Part: [GraphProblem]] = [:]
        let drawn = Set(pipelines.map(\.name))
        let isWhole = pipelines.count == report.plan.pipelines.count
        let sends = report.plan.sends.filter { isWhole || !$0.changedPipelines.isDisjoint(with: drawn) }
        let sources = Set(
            pipelines.flatMap { $0.tiers.map(\.source.name) + $0.feeds.map(\.source.name) }
                + sends.flatMap { [$0.target.name, $0.outbox.name] })
        for diagnostic in report.diagnostics {
            let problem = GraphProblem(diagnostic)
            var isPlaced = false
            for part in parts.parts(of: diagnostic) {
                switch part {
                case .source(let name): isPlaced = isPlaced || sources.contains(name)
                case .pipeline(let name), .tier(let name, _), .feed(let name, _):
                    isPlaced = isPlaced || drawn.contains(name) || pipelines.isEmpty
                case .send(let name): isPlaced = isPlaced || sends.contains { $0.name == name }
                }
                marks[part, default: []].append(problem)
            }
            if !isPlaced, isWhole { problems.append(problem) }
        }
        self.sends = sends.map { send in
            let parts: [ConfigParts.Part] = [.send(send.name), .source(send.target.name), .source(send.outbox.name)]
            return GraphSend(send, redactor: redactor, problems: parts.flatMap { marks[$0] ?? [] }.uniqued)
        }
        let all = Dictionary(report.plan.pipelines.map { ($0.name, $0) }) { first, _ in first }
        self.pipelines = pipelines.map { pipeline in
            // A problem names its tier by the place in the file, which an order that is tried may change.
            let indexes = Dictionary((all[pipeline.name]?.tiers ?? []).enumerated().map { ($1.source.name, $0) }) { first, _ in first }
            let feeds = Dictionary(pipeline.feeds.enumerated().map { ($1.source.name, $0) }) { first, _ in first }
            return GraphPipeline(pipeline, redactor: redactor, targets: { all[$0] }, problems: marks[.pipeline(pipeline.name)] ?? []) {
                source in
                let own = indexes[source].flatMap { marks[.tier(pipeline: pipeline.name, index: $0)] } ?? []
                return (own + (marks[.source(source)] ?? [])).uniqued
            } problemsOfFeed: { source in
                let own = feeds[source].flatMap { marks[.feed(pipeline: pipeline.name, index: $0)] } ?? []
                return (own + (marks[.source(source)] ?? [])).uniqued
            }
        }
    }

    package init(pipelines: [GraphPipeline], problems: [GraphProblem] = []) {
        self.pipelines = pipelines
        self.problems = problems
    }
}

extension [GraphProblem] {
    fileprivate var uniqued: [GraphProblem] {
        var seen: Set<GraphProblem> = []
        return filter { seen.insert($0).inserted }
    }
}

/// A problem of the configuration, as a drawing marks it.
package struct GraphProblem: Hashable {
    let code: String
    let severity: Diagnostic.Severity
    let message: String
    let line: Int

    /// `warning P203: no pipeline uses the source …`
    var words: String { "\(severity.rawValue) \(code): \(message)" }

    var isError: Bool { severity == .error }
}

extension GraphProblem {
    /// The problem that `diagnostic` reports.
    init(_ diagnostic: Diagnostic) {
        self.init(
            code: diagnostic.code.rawValue, severity: diagnostic.severity, message: diagnostic.message,
            line: diagnostic.range.start.line)
    }
}
