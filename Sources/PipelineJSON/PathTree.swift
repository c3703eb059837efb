/// Several paths as one tree: what they have in common stands there once. Nothing in it is counted while it is followed.
struct PathTree {
    /// A place that paths have come to.
    private struct Node {
        /// The selectors of the children of its parent's values that it takes.
        let selectors: Range<Int>
        /// Indicates whether it goes by the number of elements.
        let counts: Bool
        /// The lengths of the names that it takes.
        let lengths: NameLengths
        /// The lengths of the names that the nodes below it take.
        var lengthsBelow = NameLengths()
        /// The first of the nodes below it, and the next one beside it; -1 for none.
        var child = -1
        var next = -1
        /// The first of the paths that end here, as its place in ``ends``; -1 for none.
        var end = -1
    }

    /// Lengths of names in bytes, those of 63 and more as one.
    private struct NameLengths {
        private var bits: UInt64 = 0

        static let all = NameLengths(bits: .max)

        init(bits: UInt64 = 0) { self.bits = bits }

        init(_ length: Int) { bits = 1 << UInt64(min(length, 63)) }

        @inline(__always)
        func contains(_ length: Int) -> Bool { bits >> UInt64(min(length, 63)) & 1 == 1 }

        mutating func formUnion(_ other: NameLengths) { bits |= other.bits }
    }

    private struct Selector {
        enum Kind { case name, token, wildcard, index, slice }

        let kind: Kind
        /// The place of the name or token among the names.
        var name = 0..<0
        /// The index; also of a token that is one, else -1.
        var index = -1
        var slice = JSONSlice(start: nil, end: nil, step: 0)
    }

    /// The nodes, of which the first stands for the value that the paths begin at.
    private var nodes = [Node(selectors: 0..<0, counts: false, lengths: NameLengths())]
    private var selectors: [Selector] = []
    private var names: [UInt8] = []
    /// Paths, each with the place of another one that ends at the same node; -1 for none.
    private var ends: [(path: Int, next: Int)] = []
    /// The nodes that stand for two others.
    private var both: [[Int]: Int] = [:]

    init(_ paths: [JSONPath]) {
        var segments: [[JSONPath.Selector]] = [[]]
        for (number, path) in paths.enumerated() {
            var node = 0
            for segment in path.segments {
                if let known = first(below: node, where: { segments[$0] == segment }) {
                    node = known
                } else {
                    node = append(segment, below: node)
                    segments.append(segment)
                }
            }
            end(number, at: node)
        }
    }

    private func first(below node: Int, where isWanted: (Int) -> Bool) -> Int? {
        var child = nodes[node].child
        while child >= 0, !isWanted(child) { child = nodes[child].next }
        return child >= 0 ? child : nil
    }

    private mutating func append(_ segment: [JSONPath.Selector], below parent: Int) -> Int {
        let first = selectors.count
        for selector in segment { append(selector) }
        var lengths = NameLengths()
        for selector in segment {
            switch selector {
            case .name(let name), .token(let name): lengths.formUnion(NameLengths(name.utf8.count))
            case .wildcard: lengths = .all
            case .index, .slice: break
            }
        }
        append(
            Node(selectors: first..<selectors.count, counts: segment.contains(where: \.counts), lengths: lengths), below: parent)
        return nodes.count - 1
    }

    private mutating func append(_ node: Node, below parent: Int) {
        nodes.append(node)
        nodes[parent].lengthsBelow.formUnion(node.lengths)
        nodes[nodes.count - 1].next = nodes[parent].child
        nodes[parent].child = nodes.count - 1
    }

    private mutating func end(_ path: Int, at node: Int) {
        ends.append((path, nodes[node].end))
        nodes[node].end = ends.count - 1
    }

    private mutating func append(_ selector: JSONPath.Selector) {
        let start = names.count
        switch selector {
        case .wildcard: selectors.append(Selector(kind: .wildcard))
        case .index(let index): selectors.append(Selector(kind: .index, index: index))
        case .slice(let slice): selectors.append(Selector(kind: .slice, slice: slice))
        case .name(let name):
            names += name.utf8
            selectors.append(Selector(kind: .name, name: start..<names.count))
        case .token(let token):
            names += token.utf8
            selectors.append(Selector(kind: .token, name: start..<names.count, index: JSONPlaces.position(token) ?? -1))
        }
    }

    /// A node that stands for two others, where both take a child: what is below one of them is below it.
    private mutating func merged(_ first: Int, _ second: Int) -> Int {
        if let known = both[[first, second]] { return known }
        let node = nodes.count
        nodes.append(Node(selectors: 0..<0, counts: false, lengths: NameLengths()))
        both[[first, second]] = node
        for other in [first, second] {
            forEachPath(endingAt: other) { end($0, at: node) }
            var child = nodes[other].child
            while child >= 0 {
                append(nodes[child], below: node)
                child = nodes[child].next
            }
        }
        return node
    }
}

extension PathTree {
    /// Indicates whether a path goes on from `node`.
    func goesOn(_ node: Int) -> Bool { nodes[node].child >= 0 }

    /// Indicates whether a step after `node` goes by the number of elements.
    func counts(_ node: Int) -> Bool { first(below: node) { nodes[$0].counts } != nil }

    /// Calls `body` with each path that ends at `node`.
    @inline(__always)
    func forEachPath(endingAt node: Int, _ body: (Int) -> Void) {
        var end = nodes[node].end
        while end >= 0 {
            body(ends[end].path)
            end = ends[end].next
        }
    }

    /// The node to which paths at `node` go on by each element, whatever its index; nil if that decides.
    func nodeOfEachElement(after node: Int) -> Int? {
        let child = nodes[node].child
        guard child >= 0, nodes[child].next < 0 else { return nil }
        return nodes[child].selectors.contains { selectors[$0].kind == .wildcard } ? child : nil
    }

    /// The node to which paths at `node` go on by the element at `index`; nil if none does.
    mutating func next(after node: Int, by index: Int, of count: Int) -> Int? {
        var found: Int?
        var child = nodes[node].child
        while child >= 0 {
            if take(index, of: count, child) { found = found.map { merged($0, child) } ?? child }
            child = nodes[child].next
        }
        return found
    }

    /// The node to which paths at `node` go on by the member whose name stands at `range`, with its quotes; nil if none does.
    @inline(__always)
    mutating func next(after node: Int, by range: Range<Int>, hasEscape: Bool, of text: JSONScanner) -> Int? {
        if hasEscape { return next(after: node, by: Array(text.name(range).utf8)) }
        // Most names are of no path, and most of these have another length.
        guard nodes[node].lengthsBelow.contains(range.count - 2) else { return nil }
        return next(after: node, by: text.inner(range))
    }

    private mutating func next(after node: Int, by name: [UInt8]) -> Int? {
        name.withUnsafeBufferPointer { next(after: node, by: $0) }
    }

    private mutating func next(after node: Int, by name: UnsafeBufferPointer<UInt8>) -> Int? {
        var found: Int?
        var child = nodes[node].child
        while child >= 0 {
            if nodes[child].lengths.contains(name.count), take(name, child) { found = found.map { merged($0, child) } ?? child }
            child = nodes[child].next
        }
        return found
    }

    private func take(_ index: Int, of count: Int, _ node: Int) -> Bool {
        for position in nodes[node].selectors {
            let selector = selectors[position]
            switch selector.kind {
            case .wildcard: return true
            case .index: if selector.index == index || selector.index < 0 && selector.index + count == index { return true }
            case .slice: if selector.slice.takes(index, of: count) { return true }
            case .token: if selector.index == index { return true }
            case .name: break
            }
        }
        return false
    }

    private func take(_ name: UnsafeBufferPointer<UInt8>, _ node: Int) -> Bool {
        for position in nodes[node].selectors {
            let kind = selectors[position].kind
            if kind == .name || kind == .token {
                let wanted = selectors[position].name
                if names.withUnsafeBufferPointer({ UnsafeBufferPointer(rebasing: $0[wanted]).hasSameBytes(as: name) }) { return true }
            } else if kind == .wildcard {
                return true
            }
        }
        return false
    }
}

extension JSONPath.Selector {
    /// Indicates whether it goes by the number of elements.
    fileprivate var counts: Bool {
        switch self {
        case .index(let index): index < 0
        case .slice: true
        case .wildcard, .name, .token: false
        }
    }
}
