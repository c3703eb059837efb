internal import PipelineJSON

/// What was loaded and noted while links are followed.
struct LinkBook: Sendable {
    /// What a link leads to, each once.
    struct Target: Sendable {
        let id: LinkedValue.ID
        let pipeline: DataPipeline
        /// The id, as text.
        let text: String
        var isAsked = false
        var outcome: Outcome?
        /// Whether its times count already.
        var isNoted = false
        /// Whether all there is to tell of it has been noted: of one that is not there, each place is told.
        var isSettled = false
        /// Nil where it is not there.
        var value: LinkedValue?
        fileprivate var fragment: JSONFragment?
    }

    /// The first one is the value at hand.
    var targets: [Target]
    private var numbers: [LinkedValue.ID: Int] = [:]
    var outcomes: [Key: Outcome] = [:]
    var times = PartTimes()
    var parts: [PartOutcome] = []
    var missing: [MissingTarget] = []
    /// The targets that are told of already.
    var told: Set<MissingTarget> = []
    /// How many lists of references there were.
    var listCount = 0
    /// Whether a target failed because the time was over.
    var isCut = false
    /// What came of each link, by the node of the tree.
    var links: [FollowedLink]

    /// What is noted of following the links of `tree` in `value`.
    init(_ tree: LinkTree, _ value: LinkedValue) {
        links = tree.nodes.map { FollowedLink($0.path) }
        targets = [Target(id: LinkedValue.ID(node: value.node, key: value.key), pipeline: value.pipeline, text: "", value: value)]
    }

    /// The number of a target, which may be new.
    mutating func number(of id: LinkedValue.ID, _ pipeline: DataPipeline, text: String) -> Int {
        if let known = numbers[id] { return known }
        targets.append(Target(id: id, pipeline: pipeline, text: text))
        numbers[id] = targets.count - 1
        links[id.node].add(aValueOf: id.key.pipeline)
        return targets.count - 1
    }

    var composition: Composition {
        Composition(
            parts, missing: missing, isComplete: !parts.contains(where: \.isDegraded), isCut: isCut, links: Array(links.dropFirst()))
    }

    /// Whether something stands for a target in a list, once it has been asked for.
    func isPlaced(_ target: Int, of link: LinkSpec) -> Bool {
        switch targets[target].outcome?.result {
        case .value: true
        case .notFound: false
        case .failed, nil: link.defaultValue != nil
        }
    }

    /// The value at hand with what was followed in it.
    mutating func rendered(limit: Int) throws(SourceError) -> [UInt8] {
        guard let value = targets[0].value else { return JSONFragment.null.payload }
        return try rendered(value, limit: limit)
    }

    private mutating func rendered(_ number: Int, limit: Int) throws(SourceError) -> JSONFragment {
        if let known = targets[number].fragment { return known }
        guard let value = targets[number].value else { return .null }
        let fragment = JSONFragment(try rendered(value, limit: limit))
        targets[number].fragment = fragment
        return fragment
    }

    private mutating func rendered(_ value: LinkedValue, limit: Int) throws(SourceError) -> [UInt8] {
        var splice = JSONSplice(value.payload)
        var size = 0
        for (placed, targets) in value.links {
            let spec = placed.spec
            splice.reserveCapacity(targets.count)
            for (number, target) in targets.enumerated() {
                guard let fragment = try fragment(target, of: spec, limit: limit) else { continue }
                size += fragment.range.count
                if size > limit { throw Self.tooLarge(size, limit: limit) }
                let place = placed.places[number]
                if placed.replaces { splice.replace(place, with: fragment) } else { splice.add(placed.label, fragment, after: place) }
            }
        }
        do throws(JSONScanner.Problem) {
            return try splice.assembled(limit: limit)
        } catch {
            throw SourceError("the value with its links cannot be assembled: \(error.message)", kind: .invalid)
        }
    }

    /// What takes the place of a target; nil where nothing does.
    private mutating func fragment(_ target: LinkedValue.Target, of link: LinkSpec, limit: Int) throws(SourceError) -> JSONFragment? {
        switch target {
        case .null: return .null
        case .one(let number):
            if targets[number].value != nil { return try rendered(number, limit: limit) }
            if let text = link.defaultValue { return JSONFragment(text) }
            return isNotFound(number) ? .null : nil
        case .many(let targets):
            var elements: [JSONFragment] = []
            var placed = 0
            for target in targets {
                // What is not there is left out of a list.
                if case .one(let number) = target, isNotFound(number) { continue }
                guard let element = try fragment(target, of: link, limit: limit) else { continue }
                elements.append(element)
                placed += element.range.count
                if placed > limit { throw Self.tooLarge(placed, limit: limit) }
            }
            do throws(JSONScanner.Problem) {
                return try JSONFragment.array(elements, limit: limit)
            } catch {
                throw SourceError("the list of link `\(link.name)` cannot be assembled: \(error.message)", kind: .invalid)
            }
        }
    }

    static func tooLarge(_ size: Int, limit: Int) -> SourceError {
        SourceError("the value with its links cannot be assembled: \(size) bytes, and no more than \(limit) are allowed", kind: .invalid)
    }

    private func isNotFound(_ number: Int) -> Bool {
        if case .notFound? = targets[number].outcome?.result { true } else { false }
    }
}
