import Synchronization

extension WholeIndex {
    /// The most copies of one cache that are listed.
    private static let mostListed = 10_000

    /// Learns which wholes that caches hold, and that this process has not read, were made from values of `pipeline` that are to change, by
    /// listing those caches: only where the caches of `pipeline` itself all end with the process. Otherwise reads find out, by comparing.
    ///
    /// - Parameter concerns: whether a key is one of those.
    func listWholes(madeFrom pipeline: String, where concerns: (Key) -> Bool) async {
        for owner in owners(madeFrom: pipeline) {
            for cache in owner.caches where cache.outlivesProcess {
                guard case .copies(let copies, _) = await cache.contents(of: owner.pipeline, limit: Self.mostListed).answer else {
                    continue
                }
                for copy in copies {
                    guard let key = copy.listed.key, let parts = copy.listed.entry.variant.flatMap(MadeFrom.init(text:))?.parts,
                        parts.contains(where: { concerns($0.key) })
                    else { continue }
                    let limit = copy.freshFor.map { owner.clock.now + $0 }
                    state.withLock { state in
                        state.keep(
                            key, WholeTicket(), madeFrom: Dictionary(parts.map { ($0.key, $0.trait) }) { $1 }, besides: true, until: limit)
                    }
                }
            }
        }
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
