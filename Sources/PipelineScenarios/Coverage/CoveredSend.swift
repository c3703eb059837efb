internal import PipelineConfig
import PipelineSending

/// The points that can be reached at one kind of send that changes a pipeline.
struct CoveredSend {
    let plan: SendPlan
    /// Indicates whether readers of the pipeline see it before it is sent.
    private let isSeen: Bool
    private let kind: SendSpec
    private let rules: SendRules

    /// The kinds of sends that change `pipeline`.
    static func all(changing pipeline: PipelinePlan, in plan: Plan) -> [CoveredSend] {
        plan.sends.filter { $0.changedPipelines.contains(pipeline.name) }.compactMap { CoveredSend($0, in: pipeline) }
    }

    private init?(_ plan: SendPlan, in pipeline: PipelinePlan) {
        guard let kind = plan.kind else { return nil }
        self.plan = plan
        isSeen = plan.changes.contains { $0.pipeline == pipeline.name && $0.operation != .refresh }
        self.kind = kind
        rules = SendRules(kind, repeating: plan.target.sending?.repetition ?? .never)
    }

    var name: String { plan.name }

    /// A fetch that sees it.
    var laid: CoveragePoint.ID { .send(name, "laid over") }

    /// Each point with the field that it belongs to; nil for the send itself.
    var points: [(id: CoveragePoint.ID, field: SendField?)] {
        let states: [SendState] = [.sent, .waiting] + (rules.repetition == .always ? [] : [.held]) + [.failed]
        let own = states.map { CoveragePoint.ID.send(name, $0.rawValue) } + (isSeen ? [laid] : [])
        return own.map { ($0, nil) }
            + SendField.allCases.flatMap { field in branches(of: field).map { (CoveragePoint.ID.send(name, $0, of: field), field) } }
    }

    /// The branches that a field makes possible.
    private func branches(of field: SendField) -> [String] {
        switch field {
        case .debounce: kind.debounce > .zero ? ["passed", "dropped"] : []
        case .coalesce: kind.replacesUntried ? ["merged"] : []
        case .retry: ["second try"]
        case .expires: kind.expires == nil ? [] : ["passed"]
        case .idLifetime: rules.repetition == .byID ? ["passed"] : []
        case .onConflict: ["conflict"]
        // They decide where it goes and when, and what readers see.
        case .description, .parameters, .format, .to, .outbox, .changes, .answer, .order, .scope, .priority, .maxDelay, .idHeader, .ifMatch:
            []
        }
    }

    /// The points that an event reached.
    func points(of event: ScenarioEvent) -> [CoveragePoint.ID] {
        func point(_ branch: String, of field: SendField? = nil) -> CoveragePoint.ID { .send(name, branch, of: field) }
        switch event.sending {
        case .request(let request):
            return request.send == name && kind.debounce > .zero ? [point("passed", of: .debounce)] : []
        case .state(let mark):
            guard mark.send == name else { return [] }
            let reason = mark.reason ?? ""
            var points = mark.tries > 1 ? [point("second try", of: .retry)] : []
            if reason.hasPrefix(SendRow.conflict) { points.append(point("conflict", of: .onConflict)) }
            switch mark.state {
            case .sent, .waiting: points.append(point(mark.state.rawValue))
            case .failed:
                points.append(point(mark.state.rawValue))
                if reason.hasPrefix(SendRow.expired) { points.append(point("passed", of: .expires)) }
            case .held:
                points.append(point(mark.state.rawValue))
                if reason.hasPrefix(SendRow.forgottenID) { points.append(point("passed", of: .idLifetime)) }
            case .merged: points.append(point("merged", of: .coalesce))
            case .dropped: if kind.debounce > .zero, mark.tries == 0 { points.append(point("dropped", of: .debounce)) }
            case .sending: break
            }
            return points
        case .step, nil: return []
        }
    }
}
