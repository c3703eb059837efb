internal import Pipeline
internal import PipelineConfig

/// The orders in which the fetches of one run ask: its own, and those that steps name.
struct CoverageOrders {
    /// The pipeline in each order; that of the run first.
    private(set) var pipelines: [PipelinePlan]
    /// The order of a step that names one, by its number.
    private var ofSteps: [Int: Int] = [:]
    private var ofNames: [String: Int] = [:]

    var base: PipelinePlan { pipelines[0] }

    init(_ scenario: Scenario?, base: PipelinePlan, _ plan: Plan) {
        pipelines = [base]
        for (index, step) in (scenario?.steps ?? []).enumerated() {
            switch step.action {
            case .fetch(let fetch): ofSteps[index + 1] = add(fetch, plan)
            case .start(let start): ofNames[start.name.value] = add(start.fetch, plan)
            // Which of several fetches an event belongs to is not known.
            case .finish(let finishes) where finishes.members.count == 1: ofSteps[index + 1] = ofNames[finishes.members[0].name]
            default: break
            }
        }
    }

    private mutating func add(_ fetch: FetchStep, _ plan: Plan) -> Int? {
        guard let order = fetch.order, let pipeline = try? base.asking(order.value.map(\.value), from: plan.sources) else { return nil }
        pipelines.append(pipeline)
        return pipelines.count - 1
    }

    /// Whether what happened concerns the pipeline, and no part of it.
    func concern(_ event: ScenarioEvent) -> Bool {
        if event.key.isEmpty { return true }
        // What is masked in the arguments makes them no text of a key.
        return Key(text: String(event.key.prefix { $0 != "," })).map { $0.pipeline.utf8.elementsEqual(base.name.utf8) } ?? true
    }

    func index(ofStep step: Int) -> Int { ofSteps[step] ?? 0 }

    func tier(_ source: String) -> TierPlan? {
        pipelines.lazy.flatMap(\.tiers).first { $0.source.name == source }
    }
}
