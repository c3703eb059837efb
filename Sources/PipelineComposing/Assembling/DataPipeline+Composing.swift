import Pipeline
import PipelineLive
internal import PipelineJSON

extension DataPipeline {
    /// What makes its values from those of others; nil where they are not made so.
    private var composite: Composite? {
        tiers.lazy.filter { $0.capabilities.contains(.asksOthers) }.compactMap { $0.source as? Composite }.first
    }

    /// The copy of `key` that memory has at hand, when that is an answer and no feed knows better.
    func immediate(_ key: Key) -> Outcome? { hitPath?.immediate(key) }

    /// A payload of the pipeline as JSON.
    func json(_ payload: [UInt8]) throws(SourceError) -> [UInt8] {
        switch spec.policy.format {
        case .json: payload
        case .text: JSONFragment(string: String(decoding: payload, as: UTF8.self)).payload
        case .bytes: throw SourceError("the format of `\(spec.name)` is bytes, which cannot be combined", kind: .invalid)
        }
    }

    /// Lets the composite find its parts.
    ///
    /// - Parameters:
    ///   - all: the pipelines that there are, by name.
    ///   - isPart: whether others are made from this one.
    func connect(in all: [String: DataPipeline], isPart: Bool) {
        invalidation.isPart = isPart
        guard let composite else { return }
        let parts = spec.combinedPipelines(in: all)
        invalidation.wholes.note(parts, of: spec.name)
        composite.connect(
            to: parts.compactMap { all[$0] },
            watching: isPart || tiers.contains { $0.isCache && $0.policy.writes })
    }
}

extension PipelineSpec {
    /// The names of the pipelines whose values are in the whole: those of parts, and of links that are followed in them.
    func combinedPipelines(in all: [String: DataPipeline]) -> Set<String> {
        CompositeCheck.combinedPipelines(combine) { all[$0]?.spec.links ?? [] }
    }
}
