package import Pipeline

/// A value that feeds may change, themselves or by what it is made from: a copy elsewhere would not be told.
package struct FedValue {
    private let pipelines: Pipelines

    package init(pipelines: Pipelines) { self.pipelines = pipelines }

    /// - Parameter paths: the links that are followed in the value.
    package func isFed(_ spec: PipelineSpec, following paths: [String]) -> Bool {
        if !spec.live.isEmpty { return true }
        if spec.combine == nil, paths.isEmpty { return false }
        var open = names(CompositeSpec(.of(PartSpec(spec.name, follow: paths))))
        var seen: Set<String> = []
        while let name = open.popFirst() {
            guard seen.insert(name).inserted, let spec = try? pipelines.pipeline(named: name).spec else { continue }
            if !spec.live.isEmpty { return true }
            open.formUnion(names(spec.combine))
        }
        return false
    }

    private func names(_ combine: CompositeSpec?) -> Set<String> {
        CompositeCheck.combinedPipelines(combine) { (try? pipelines.pipeline(named: $0).spec.links) ?? [] }
    }
}
