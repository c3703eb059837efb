import Pipeline
import PipelineLive
import Synchronization

extension WholeIndex {
    /// Learns which wholes that caches hold, and that this process has not read, were made from values of `pipeline` that are to change, by
    /// listing those caches: only where the caches of `pipeline` itself all end with the process. Otherwise reads find out, by comparing.
    ///
    /// - Parameter concerns: whether a key is one of those.
    func listWholes(madeFrom pipeline: String, where concerns: (Key) -> Bool) async {
        for owner in owners(madeFrom: pipeline) {
            for cache in owner.caches where cache.outlivesProcess {
                for copy in await copies(in: cache, of: owner) {
                    guard let key = copy.listed.key, let parts = copy.listed.entry.variant.flatMap(MadeFrom.init(text:))?.parts,
                        parts.contains(where: { concerns($0.key) })
                    else { continue }
                    let limit = copy.freshFor.map { owner.clock.now + $0 }
                    state.withLock { state in
                        state.keep(
                            key, Validity(), madeFrom: Dictionary(parts.map { ($0.key, $0.trait) }) { $1 }, besides: true, until: limit
                        )
                    }
                }
            }
        }
        await expire(state.withLock { [bound] in $0.evict(downTo: bound) }, waiting: true)
    }

    /// What `cache` holds of a composite. A cache that holds too much to be listed is cleared: what it has might be made from anything.
    private func copies(in cache: Tier, of owner: Invalidation) async -> [TierContents.Copy] {
        var limit = listing.lowerBound
        while true {
            guard case .copies(let copies, let hasMore) = await cache.contents(of: owner.pipeline, limit: limit).answer else { return [] }
            if !hasMore { return copies }
            if limit == listing.upperBound { break }
            limit = min(limit * 10, listing.upperBound)
        }
        await owner.clear(cache)
        return []
    }

    /// The composites that have values of `pipeline` in them, also by way of others.
    private func owners(madeFrom pipeline: String) -> [Invalidation] {
        state.withLock { state in
            var (found, rest) = (Set<String>(), [pipeline])
            while let part = rest.popLast() {
                for (name, owner) in state.owners where owner.parts.contains(part) && found.insert(name).inserted { rest.append(name) }
            }
            return found.sorted().compactMap { state.owners[$0]?.invalidation }
        }
    }
}

extension Invalidation {
    /// Has the index know the wholes that caches keep and that were made from this pipeline, for a load that shall not miss one whose part it
    /// changes. Lists the caches once in a process: wholes that others keep later are found when their part changes.
    func findKeptWholes() async {
        guard !keepsBeyondProcess, wholes.state.withLock({ $0.listed.insert(pipeline).inserted }) else { return }
        await wholes.listWholes(madeFrom: pipeline) { [pipeline] in $0.pipeline == pipeline }
    }
}
