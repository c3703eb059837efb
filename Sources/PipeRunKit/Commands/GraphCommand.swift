internal import ArgumentParser
internal import Pipeline

struct GraphCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph", abstract: "Draws the pipelines: tiers, fallback, write-back. Opens nothing.")

    @OptionGroup var config: ConfigOptions
    @Argument(help: "A pipeline; all unless given.", completion: Suggestions.pipelines) var name: String?

    @Option(help: "How to draw: text, mermaid.")
    var format = GraphFormat.text

    @Option(help: ArgumentHelp("Ask these sources in this order instead.", valueName: "a,b,c"), completion: Suggestions.order)
    var order: String?

    func run() async throws {
        let plan = try config.report(level: .graph).plan
        let pipelines = try Usage.checking("graph") {
            var pipelines = try name.map { [try plan.pipeline($0)] } ?? plan.pipelines
            if let order {
                guard name != nil else { throw Usage.failure("--order needs the name of a pipeline", help: nil) }
                let names = try SourceOrder.names(in: order)
                pipelines = try pipelines.map { try $0.asking(names, from: plan.sources) }
            }
            return pipelines
        }
        switch format {
        case .text: Console.output.write(pipelines.map(GraphText.draw).joined(separator: "\n"))
        case .mermaid: Console.output.write(GraphMermaid.draw(pipelines))
        }
    }
}
