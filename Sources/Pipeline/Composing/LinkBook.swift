internal import PipelineJSON

/// What was loaded and noted while links are followed.
struct LinkBook: Sendable {
    var values: [LinkedValue.ID: LinkedValue] = [:]
    var outcomes: [Key: Outcome] = [:]
    var times = PartTimes()
    var parts: [PartOutcome] = []
    var missing: [MissingTarget] = []
    /// The targets that are told of already.
    var told: Set<MissingTarget> = []
    /// The distinct targets of each node of the tree.
    var ids: [Int: Set<Key>] = [:]
    /// The targets whose times count already.
    var noted: Set<LinkedValue.ID> = []
    /// How many lists of references there were.
    var listCount = 0
    /// Whether a target failed because the time was over.
    var isCut = false
    /// What came of each link, by the node of the tree.
    var links: [FollowedLink]
    private var fragments: [LinkedValue.ID: JSONFragment] = [:]

    init(_ tree: LinkTree) { links = tree.nodes.map { FollowedLink($0.path) } }

    var composition: Composition {
        let followed = links.indices.dropFirst().map { node in
            var link = links[node]
            link.end(ids[node]?.first?.pipeline, count: ids[node]?.count ?? 0)
            return link
        }
        return Composition(parts, missing: missing, isComplete: !parts.contains(where: \.isDegraded), isCut: isCut, links: followed)
    }

    /// Whether something stands for a target in a list, once it has been asked for.
    func isPlaced(_ id: LinkedValue.ID, of link: LinkSpec) -> Bool {
        switch outcomes[id.key]?.result {
        case .value: true
        case .notFound: false
        case .failed, nil: link.defaultValue != nil
        }
    }

    /// A value with what was followed in it.
    mutating func rendered(_ id: LinkedValue.ID, limit: Int) throws(SourceError) -> JSONFragment {
        if let known = fragments[id] { return known }
        guard let value = values[id] else { return .null }
        var splice = JSONSplice(value.payload)
        var labels: [String: [UInt8]] = [:]
        var placed = 0
        for placement in value.placements {
            guard let target = try fragment(placement.target, of: placement.link, limit: limit) else { continue }
            placed += target.range.count
            if placed > limit { throw Self.tooLarge(placed, limit: limit) }
            if placement.link.place.memberName.map({ $0.hasSameBytes(as: placement.link.name) }) ?? false {
                splice.replace(placement.place, with: target)
            } else {
                let label = labels[placement.link.name] ?? JSONSplice.label(placement.link.name)
                labels[placement.link.name] = label
                splice.add(label, target, after: placement.place)
            }
        }
        do throws(JSONScanner.Problem) {
            let fragment = JSONFragment(try value.placements.isEmpty ? value.payload : splice.assembled(limit: limit))
            fragments[id] = fragment
            return fragment
        } catch {
            throw SourceError(invalid: "the value with its links cannot be assembled: \(error.message)")
        }
    }

    /// What takes the place of a target; nil where nothing does.
    private mutating func fragment(_ target: LinkedValue.Target, of link: LinkSpec, limit: Int) throws(SourceError) -> JSONFragment? {
        switch target {
        case .null: return .null
        case .one(let id):
            if values[id] != nil { return try rendered(id, limit: limit) }
            if let text = link.defaultValue { return JSONFragment(text) }
            return isNotFound(id) ? .null : nil
        case .many(let targets):
            var elements: [JSONFragment] = []
            var placed = 0
            for target in targets {
                // What is not there is left out of a list.
                if case .one(let id) = target, isNotFound(id) { continue }
                guard let element = try fragment(target, of: link, limit: limit) else { continue }
                elements.append(element)
                placed += element.range.count
                if placed > limit { throw Self.tooLarge(placed, limit: limit) }
            }
            do throws(JSONScanner.Problem) {
                return try JSONFragment.array(elements, limit: limit)
            } catch {
                throw SourceError(invalid: "the list of link `\(link.name)` cannot be assembled: \(error.message)")
            }
        }
    }

    static func tooLarge(_ size: Int, limit: Int) -> SourceError {
        SourceError(invalid: "the value with its links cannot be assembled: \(size) bytes, and no more than \(limit) are allowed")
    }

    private func isNotFound(_ id: LinkedValue.ID) -> Bool {
        if case .notFound? = outcomes[id.key]?.result { true } else { false }
    }
}
