/// Asks the first tiers of a pipeline in the task of who begins a load, as far as that needs no task of their own: it spares the task of
/// the load, and what waits for it.
final class Probe: Sendable {
    /// What the tiers that are read on the calling thread have.
    enum Finding {
        /// Nothing is left to do but to give it.
        case answer(LoadReply)
        /// Nothing; the next tier is asked by ``wait(_:unless:)``.
        case wait
        /// What a load goes on from.
        case load
    }

    /// Read on the calling thread, from the first on.
    private let tiers: [Tier]
    /// The one after these, when its answer can be waited for without a task.
    private let next: Tier?
    /// Whether what the first of all has is written to no other.
    private let keepsFirst: Bool
    private let generations: Generations
    private let horizon: Horizon?
    /// Whether a read may hold up the calling thread, where nothing would end it.
    let mayBlock: Bool

    /// Nil when a task is cheap beside what the first tiers take.
    init?(_ plan: PipelineOrder, tiers: [Tier], generations: Generations, horizon: Horizon?) {
        let read = tiers.prefix(while: \.isProbed)
        let lastSlow = read.lastIndex { $0.synchronous != nil }
        next = tiers.dropFirst(read.count).first.flatMap { $0.isAwaited ? $0 : nil }
        guard next != nil || lastSlow != nil, let first = plan.tiers.first else { return nil }
        self.tiers = next == nil ? lastSlow.map { Array(read[...$0]) } ?? [] : Array(read)
        mayBlock = lastSlow != nil
        let targets = tiers.filter { first.writesBackTo.contains($0.name) }
        keepsFirst = !targets.contains { $0.isCache && $0.policy.writes }
        self.generations = generations
        self.horizon = horizon
    }

    /// Reads what is read on the calling thread. Notes in `request` what was found, which the load goes on from.
    func look(for request: inout LoadRequest) -> Finding {
        // Before anything is read: the load goes by what is found, an expired copy or none, also when that is removed or replaced meanwhile.
        request.begin(with: generations, horizon)
        // By their numbers: a copy of a tier would cost as much as the rest of this.
        for index in tiers.indices {
            guard !Task.isCancelled, let reply = tiers[index].probe(request) else { return .load }
            if index == 0, isConclusive(reply) { return .answer(reply) }
            request.probed.append(reply)
            if !reply.goesOn { return .load }
        }
        return next == nil ? .load : .wait
    }

    /// The reply of the tier that ``look(for:)`` left to be waited for, when nothing is left to do but to give it; nil when there is a load
    /// to make, which goes on from what is noted in `request`. Nil at once, too, when the task is cancelled or the wait called off: whoever
    /// sets out for the load then is told so.
    func wait(_ request: inout LoadRequest, unless callOff: CallOff) async -> LoadReply? {
        guard let next else { return nil }
        let begin = next.clock.now
        guard let reply = await next.probe(request, unless: callOff) else {
            request.awaited = (next.name, begin)
            return nil
        }
        if request.probed.isEmpty, isConclusive(reply) { return reply }
        request.probed.append(reply)
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
        request.awaited = nil
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
