internal import Pipeline
internal import PipelineConfig

/// The circuits of one process, by what was asked and written.
struct CircuitTrace {
    private struct Circuit {
        let failuresToOpen: Int
        var readFailures = 0
        var writeFailures = 0
        var isOpen = false
    }

    private var circuits: [String: Circuit]

    init(_ pipeline: PipelinePlan) {
        circuits = pipeline.tiers.reduce(into: [:]) { circuits, tier in
            if let policy = tier.policy.circuitBreaker, policy.failures > 0 {
                circuits[tier.source.name] = Circuit(failuresToOpen: policy.failures)
            }
        }
    }

    /// The branches that a read reached.
    mutating func branches(ofAttempt part: ScenarioEvent.Part) -> [String] {
        guard part.outcome != "skipped" || part.isSkippedByCircuit else { return [] }
        return branches(of: part, isRead: true, hasFailed: part.hasFailed && !part.isRejected)
    }

    /// The branches that a write reached.
    mutating func branches(ofWrite part: ScenarioEvent.Part) -> [String] {
        guard part.isSkippedByCircuit || ["written", "renewed", "failed"].contains(part.outcome) else { return [] }
        return branches(of: part, isRead: false, hasFailed: part.outcome == "failed")
    }

    private mutating func branches(of part: ScenarioEvent.Part, isRead: Bool, hasFailed: Bool) -> [String] {
        guard var circuit = circuits[part.source] else { return [] }
        defer { circuits[part.source] = circuit }
        if part.isSkippedByCircuit {
            circuit.isOpen = true
            return ["open"]
        }
        if circuit.isOpen {
            guard !hasFailed else { return ["half open"] }
            circuit = Circuit(failuresToOpen: circuit.failuresToOpen)
            return ["half open", "closed"]
        }
        let count = isRead ? circuit.readFailures : circuit.writeFailures
        let failures = hasFailed ? count + max(1, part.tries) : 0
        if isRead { circuit.readFailures = failures } else { circuit.writeFailures = failures }
        circuit.isOpen = failures >= circuit.failuresToOpen
        return []
    }
}
