internal import PipelineConfig

/// The pipelines that a command shows: all, one, or one in another order.
struct SelectedPipelines {
    let name: String?
    let order: String?

    /// Their plans. What `plan` does not have ends `command` with 64.
    func plans(in plan: Plan, command: String) throws -> [PipelinePlan] {
        try Usage.checking([command]) {
            guard let name else { return plan.pipelines }
            let pipeline = try plan.pipeline(name)
            guard let order else { return [pipeline] }
            return [try pipeline.asking(try SourceOrder.names(in: order), from: plan.sources)]
        }
    }
}
