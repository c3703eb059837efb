internal import PipelineJSON

/// Where one reference of a link leads.
package enum LinkTarget: Sendable, Hashable {
    case key(Key)
    /// Nowhere: it is null, absent or an empty list.
    case none
    /// It cannot be followed, for this reason.
    case invalid(String)
}

extension DataPipeline {
    /// Where the references of a link in the value of `outcome` lead, in their order, each target once. Nothing is loaded. One of them is
    /// ``LinkTarget/none`` where any leads nowhere. Empty for an outcome without a value.
    ///
    /// Throws ``SourceError`` where no reference of the link can be followed.
    package func targets(of link: LinkSpec, in outcome: Outcome) throws(SourceError) -> [LinkTarget] {
        guard case .value(let entry) = outcome.result, let payload = entry.payload else { return [] }
        let demand = PartDemand(policy: .cacheOnly, priority: spec.policy.priority, end: nil, isBound: false)
        let run = LinkRun(sources.directory, demand, until: nil, clock: clock, limit: spec.policy.maxSize)
        let value = LinkedValue(node: 0, payload: payload, pipeline: self, key: outcome.key, at: "")
        let placing = try LinkPlacing(link, 0, in: value, from: run)
        let paths = [link.place, link.place.sibling(link.name), link.place.holders].map { $0 ?? link.place }
        let found: [JSONPlaces]
        do {
            found = try JSONScanner.places(of: paths, in: payload)
        } catch {
            throw SourceError("the links of `\(outcome.key)` cannot be found: \(error)", kind: .invalid)
        }
        return placing.targets(of: found[0], taken: found[1], among: found[2], in: value)
    }
}
