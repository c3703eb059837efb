import Pipeline
import PipelineLive
import Synchronization

/// Expires what was made from the values of a pipeline when these change, and knows the copies of what is made by a composite.
final class PartFollower: KeyFollower {
    private let wholes: WholeIndex
    private weak let invalidation: Invalidation?
    private let state = Atomic(false)

    init(_ wholes: WholeIndex, of invalidation: Invalidation) { (self.wholes, self.invalidation) = (wholes, invalidation) }

    /// Whether other values are made from those of the pipeline.
    var isPart: Bool {
        get { state.load(ordering: .acquiring) }
        set { state.store(newValue, ordering: .releasing) }
    }

    /// Expires what was made from another value than the load gives. A pipeline that is no part pays nothing for it.
    func loading(_ call: Call, _ standing: Standing, _ load: Following) async throws -> LoadReply {
        let reply = try await load(standing)
        guard isPart, call.policy.writes, let invalidation else { return reply }
        if call.policy == .refresh, !call.renews { await invalidation.findKeptWholes() }
        switch reply.answer {
        case .value(let entry), .notFound(let entry): await wholes.changed(call.key, to: entry, by: standing.permit)
        case .none where call.policy.asksOrigins && standing.originsRestReason == nil:
            // Every tier was asked, and none has a value: it may be gone, as a file that was removed.
            await wholes.changed(call.key, to: .notFound(created: invalidation.clock.now), by: standing.permit)
        case .stale, .none, .failed: break
        }
        return reply
    }

    /// For a caller all of them are found, and slow caches are waited for.
    func changed(_ change: KeyChange) async {
        if change.cause == .messageEnded { return }
        let isCall = change.cause == .call
        if isCall, isPart, let invalidation, !invalidation.keepsBeyondProcess {
            await wholes.listWholes(madeFrom: invalidation.pipeline, where: change.keys.concerns)
        }
        switch change.keys {
        case .key(let key): await wholes.changed(key, to: change.entry, waiting: isCall)
        case .pipeline(let name): await wholes.removed(pipeline: name, waiting: isCall)
        }
    }
}

extension Invalidation {
    /// What was made from which values.
    var wholes: WholeIndex { commons.member { WholeIndex() } }

    /// Whether other values are made from those of the pipeline.
    var isPart: Bool {
        get { followers.known(PartFollower.self)?.isPart ?? false }
        set { if newValue || isPart { partFollower.isPart = newValue } }
    }

    /// Has changes of the pipeline's values expire what is made from them.
    var partFollower: PartFollower { followers.member(isInner: true) { PartFollower(wholes, of: self) } }
}

extension LiveKey {
    /// What `index` remembers of its parts is forgotten with it.
    func remember(in index: WholeIndex) {
        keep { PartMemory(of: ObjectIdentifier(self), in: index) }
    }
}

/// Forgets what came of the parts of an observed whole, when that is gone.
private final class PartMemory: Sendable {
    private let live: ObjectIdentifier
    private let index: WholeIndex

    init(of live: ObjectIdentifier, in index: WholeIndex) { (self.live, self.index) = (live, index) }

    deinit { index.forgetParts(of: live) }
}
