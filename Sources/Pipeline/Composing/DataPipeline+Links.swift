extension DataPipeline {
    /// The keys that a link of the value of `outcome` leads to, in the order of the references, each once. Nothing is loaded. Empty for a
    /// reference that is null or absent, and for an outcome without a value.
    ///
    /// Throws ``SourceError`` where the link cannot be followed, with the pointer to the reference.
    package func targets(of link: LinkSpec, in outcome: Outcome) throws -> [Key] {
        guard case .value(let entry) = outcome.result, let payload = entry.payload else { return [] }
        let demand = PartDemand(policy: .cacheOnly, priority: spec.policy.priority, end: nil, isBound: false)
        let run = LinkRun(sources.directory, demand, until: nil, clock: clock, limit: spec.policy.maxSize)
        var value = LinkedValue(node: 0, payload: payload, pipeline: spec, key: outcome.key, at: "")
        var book = LinkBook()
        let wanted: [LinkRun.Wanted]
        do {
            wanted = try run.placeLinks(of: &value, LinkTree([LinkPath([link.name])]), &book)
        } catch let failure as LinkError {
            throw failure.error
        }
        var seen: Set<Key> = []
        return wanted.map(\.id.key).filter { seen.insert($0).inserted }
    }
}
