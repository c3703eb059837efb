/// Asks the first tiers of a pipeline on the thread of who begins a load, as far as they read there: that spares the task of the load,
/// and what waits for it.
struct Probe: Sendable {
    private let tiers: [Tier]
    /// Whether what the first of them has is written to no other.
    private let keepsFirst: Bool
    private let generations: Generations
    private let horizon: Horizon?

    /// Nil when a task is cheap beside what the first tiers take.
    init?(_ plan: PipelinePlan, tiers: [Tier], generations: Generations, horizon: Horizon?) {
        let probed = tiers.prefix(while: \.isProbed)
        guard let last = probed.lastIndex(where: { $0.synchronous != nil }), let first = plan.tiers.first else { return nil }
        self.tiers = Array(probed[...last])
        let targets = tiers.filter { first.writesBackTo.contains($0.name) }
        keepsFirst = !targets.contains { $0.isCache && $0.policy.writes }
        self.generations = generations
        self.horizon = horizon
    }

    /// The reply of the first tier, when nothing is left to do but to give it. Otherwise notes in `request` what was found, which the load
    /// goes on from.
    func reply(to request: inout LoadRequest) -> LoadReply? {
        // Before anything is read: the load goes by what is found, an expired copy or none, also when that is removed or replaced meanwhile.
        request.begin(with: generations, horizon)
        // By their numbers: a copy of a tier would cost as much as the rest of this.
        for index in tiers.indices {
            guard !Task.isCancelled, let reply = tiers[index].probe(request) else { return nil }
            if index == 0, isConclusive(reply) { return reply }
            request.probed.append(reply)
            if !reply.goesOn { return nil }
        }
        return nil
    }

    private func isConclusive(_ reply: LoadReply) -> Bool {
        switch reply.answer {
        case .value, .notFound: keepsFirst
        case .stale: true
        case .none, .failed: false
        }
    }
}

extension LoadRequest {
    /// Takes the right to write, and what was heard of other processes, when a load begins: before anybody was asked whose answer may be
    /// written.
    mutating func begin(with generations: Generations, _ horizon: Horizon?) {
        guard ticket == nil else { return }
        ticket = generations.ticket(for: key)
        heardSince = horizon?.value
    }

    /// The request as it was before anybody was asked.
    var unprobed: LoadRequest {
        var request = self
        request.probed = []
        return request
    }

    /// The request for a load that begins now.
    var anew: LoadRequest {
        var request = unprobed
        request.ticket = nil
        request.heardSince = nil
        return request
    }
}

extension Loader {
    /// Goes by what was found when the tier was asked before the load; the tier is the one at `index` of its pipeline.
    func followingProbe(at index: Int) -> Loader {
        Loader(name, immediate: immediate) { request in
            if index < request.probed.count { return request.probed[index] }
            return try await load(request)
        }
    }
}
