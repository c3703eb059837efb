import Pipeline
import PipelineLive
/// A pipeline whose values are in a composite: the pipeline of a part, or one that a followed link leads to.
package struct UsedPipeline: Sendable {
    /// A link that is followed.
    package struct Step: Sendable {
        /// The position of the path among the paths of the part, and the position of the link in it.
        package let path: Int
        package let position: Int
        /// The pipeline that has the link, and which of its links it is.
        package let holder: String
        package let link: Int
        /// The name of the link.
        package let name: String
    }

    /// The name of the pipeline.
    package let name: String
    /// The position of the part.
    package let part: Int
    /// The step that leads to it; nil for the pipeline of the part.
    package let step: Step?
}

extension CompositeSpec {
    /// The pipelines whose values are in the composite, each as often as it is used, in the order of the parts.
    ///
    /// - Parameter links: the links of the pipeline of this name.
    package func usedPipelines(links: (String) -> [LinkSpec]) -> [UsedPipeline] {
        partSpecs.enumerated().flatMap { index, part in
            [UsedPipeline(name: part.spec.pipeline, part: index, step: nil)]
                + part.spec.follow.enumerated().flatMap { path, follow in
                    Self.steps(of: follow, at: path, from: part.spec.pipeline, links: links).map {
                        UsedPipeline(name: $0.target, part: index, step: $0.step)
                    }
                }
        }
    }

    private static func steps(
        of follow: LinkPath, at path: Int, from pipeline: String, links: (String) -> [LinkSpec]
    ) -> [(target: String, step: UsedPipeline.Step)] {
        var holder = pipeline
        var steps: [(target: String, step: UsedPipeline.Step)] = []
        for (position, name) in follow.names.enumerated() {
            let known = links(holder)
            guard let link = known.firstIndex(where: { $0.name.hasSameBytes(as: name) }) else { break }
            let step = UsedPipeline.Step(path: path, position: position, holder: holder, link: link, name: name)
            holder = known[link].pipeline
            steps.append((holder, step))
        }
        return steps
    }
}
