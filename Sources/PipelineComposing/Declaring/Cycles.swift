import Pipeline
import PipelineLive
/// Finds the nodes of a graph that lead back to themselves.
enum Cycles {
    /// Nodes that all lead to each other.
    struct Group {
        /// Along the circle where they are one, beginning with the least; else in their order.
        let nodes: [Int]
        /// The edges between them, each once, in the order of ``nodes``.
        let edges: [(from: Int, to: Int)]
        /// Whether they are a single circle.
        let isCircle: Bool

        var first: Int { nodes.first ?? 0 }

        init(_ members: [Int], _ graph: [[Int]]) {
            let known = Set(members)
            let inner = Dictionary(uniqueKeysWithValues: members.map { node in (node, Set(graph[node]).intersection(known).sorted()) })
            var nodes = members.sorted()
            isCircle = inner.values.allSatisfy { $0.count == 1 }
            if isCircle, let least = nodes.first {
                nodes = [least]
                while let last = nodes.last, let next = inner[last]?.first, next != least { nodes.append(next) }
            }
            self.nodes = nodes
            edges = nodes.flatMap { node in (inner[node] ?? []).map { (node, $0) } }
        }

        /// The circle, or the names alone where there is more than one.
        func words(_ names: [String]) -> String {
            let nodes = isCircle ? nodes + [first] : nodes
            return nodes.map { "`\(names[$0])`" }.joined(separator: isCircle ? " → " : ", ")
        }
    }

    /// The groups of nodes that lead to each other, each once, in the order of their first nodes: Tarjan's strongly connected components, without
    /// those of one node that does not lead to itself. Without recursion, since a file may have a long chain.
    static func groups(of edges: [[Int]]) -> [Group] {
        var numbers: [Int?] = edges.map { _ in nil }
        var lowest = edges.map { _ in 0 }
        var (open, isOpen) = ([Int](), edges.map { _ in false })
        var (count, groups) = (0, [Group]())
        for start in edges.indices where numbers[start] == nil {
            var way: [(node: Int, next: Int)] = [(start, 0)]
            while let (node, next) = way.last {
                if next == 0 {
                    (numbers[node], lowest[node], isOpen[node]) = (count, count, true)
                    open.append(node)
                    count += 1
                }
                if next < edges[node].count {
                    way[way.count - 1].next += 1
                    let target = edges[node][next]
                    if let number = numbers[target] {
                        if isOpen[target] { lowest[node] = min(lowest[node], number) }
                    } else {
                        way.append((target, 0))
                    }
                    continue
                }
                way.removeLast()
                if let above = way.last?.node { lowest[above] = min(lowest[above], lowest[node]) }
                guard lowest[node] == numbers[node], let begin = open.lastIndex(of: node) else { continue }
                let members = Array(open[begin...])
                open.removeSubrange(begin...)
                for member in members { isOpen[member] = false }
                if members.count > 1 || edges[node].contains(node) { groups.append(Group(members, edges)) }
            }
        }
        return groups.sorted { ($0.nodes.min() ?? 0) < ($1.nodes.min() ?? 0) }
    }
}
