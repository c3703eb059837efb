package import Pipeline
import PipelineLive
/// The links that are followed, as a tree of names: each node stands for the values that a path leads to.
struct LinkTree: Sendable {
    struct Node: Sendable {
        /// The links that are followed in these values, in the order in which the paths name them.
        var links: [(name: String, node: Int)] = []
        /// The names that lead to it.
        var path = LinkPath([])
    }

    /// The first one stands for the value at hand.
    private(set) var nodes = [Node()]

    init(_ paths: [LinkPath]) {
        for path in paths {
            var node = 0
            for name in path.names {
                if let known = nodes[node].links.first(where: { $0.name.hasSameBytes(as: name) }) {
                    node = known.node
                } else {
                    nodes.append(Node(path: LinkPath(nodes[node].path.names + [name])))
                    nodes[node].links.append((name, nodes.count - 1))
                    node = nodes.count - 1
                }
            }
        }
    }
}

extension LinkPath {
    /// Throws where the path leads nowhere.
    ///
    /// - Parameter find: the pipeline of a name.
    func check(from pipeline: PipelineSpec, _ find: (String) -> PipelineSpec?) throws(UsageError) {
        guard names.count <= LinkSpec.longestPath else { throw .longPath(description, most: LinkSpec.longestPath) }
        var pipeline = pipeline
        for name in names {
            guard let link = pipeline.links.first(where: { $0.name.hasSameBytes(as: name) }) else {
                throw .unknownLink(name, pipeline: pipeline.name, known: pipeline.links.map(\.name))
            }
            guard let next = find(link.pipeline) else { throw .unknownPipeline(link.pipeline, known: []) }
            pipeline = next
        }
    }
}

extension LinkSpec {
    /// The parameter of `target` that takes the id; nil if it must be named.
    package func parameter(of target: PipelineSpec) -> String? {
        if let parameter { return parameter }
        let open = target.parameters.filter { $0.defaultValue == nil && arguments[$0.name] == nil }
        if open.count == 1 { return open[0].name }
        return open.isEmpty && target.parameters.count == 1 ? target.parameters[0].name : nil
    }
}
