import Pipeline
import PipelineLive
internal import PipelineJSON

/// What was loaded and noted while links are followed.
struct LinkBook: Sendable {
    /// What a link leads to, each once.
    struct Target: Sendable {
        let id: LinkedValue.ID
        /// The id, as text.
        let text: String
        /// The number of the target that is loaded for its key: itself, or one that another link leads to.
        let loaded: Int
        /// The number of another target with its key; nil for the last one.
        fileprivate var next: Int?
        /// What came of the load for its key; of a target that ``loaded`` names alone.
        fileprivate(set) var outcome: Outcome?
        /// Whether its times count already.
        var isNoted = false
        /// Whether all there is to tell of it has been noted: of one that is not there, each place is told.
        fileprivate(set) var isSettled = false
        /// Nil where it is not there, and where ``LinkBook/take(_:as:)`` has its payload.
        var value: LinkedValue?
        /// What takes its places, once that is known.
        fileprivate var fragment: JSONFragment?

        @inline(__always)
        fileprivate init(
            _ id: consuming LinkedValue.ID, text: consuming String, loaded: Int, next: Int? = nil, value: consuming LinkedValue? = nil
        ) {
            self.id = id
            self.text = text
            (self.loaded, self.next) = (loaded, next)
            self.value = value
        }

        /// Whether it is there.
        fileprivate var hasValue: Bool { value != nil || fragment != nil }
    }

    /// The first one is the value at hand.
    var targets: [Target]
    /// The pipelines of the values, by the node of the tree; nil where no reference has led to one. Not in each target: counting the
    /// references of an object is slow once it has weak ones, as a pipeline has.
    private(set) var pipelines: [DataPipeline?]
    /// How many targets have not been settled.
    private var openCount = 0
    /// The target that is loaded for each key.
    private var numbers: [Key: Int] = [:]
    /// The targets beyond the bound of their link, which are only counted.
    private var excess: Set<LinkedValue.ID> = []
    var times = PartTimes()
    var parts: [PartOutcome] = []
    var missing: [MissingTarget] = []
    /// The targets that are told of already.
    var told: Set<MissingTarget> = []
    /// How many values were spliced.
    private var spliceCount = 0
    /// Where each target is among the values of the latest splice that it is placed in: each of its places asks, and the targets lie far apart.
    private var pieces: [(splice: Int, number: Int)] = []
    /// Whether a target failed because the time was over.
    var isCut = false
    /// What came of each link, by the node of the tree.
    var links: [FollowedLink]

    /// What is noted of following the links of `tree` in `value`.
    init(_ tree: LinkTree, _ value: LinkedValue, of pipeline: DataPipeline) {
        links = tree.nodes.map { FollowedLink($0.path) }
        pipelines = Array(repeating: nil, count: tree.nodes.count)
        pipelines[value.node] = pipeline
        targets = [Target(LinkedValue.ID(node: value.node, key: value.key), text: "", loaded: 0, value: value)]
    }

    /// References lead to values of `pipeline` at `node`.
    mutating func lead(to pipeline: DataPipeline, at node: Int) {
        if pipelines[node] == nil { pipelines[node] = pipeline }
    }

    /// The number of a target, which may be new.
    mutating func number(of id: consuming LinkedValue.ID, text: consuming String) -> Int {
        let number = targets.count
        // The first target of its key, which may be this one: looked up and noted at once.
        let first = Self.noted(&numbers[id.key, default: number])
        var next: Int?
        if first != number {
            if let known = self.number(for: id.node, amongThoseFrom: first) { return known }
            next = targets[first].next
            targets[first].next = number
        }
        links[id.node].add(aValueOf: id.key.pipeline)
        targets.append(Target(id, text: text, loaded: first, next: next))
        openCount += 1
        return number
    }

    /// Reads `place` as `inout`, so that a dictionary also stores the default.
    private static func noted(_ place: inout Int) -> Int { place }

    /// The target for `node` among those of one key, of which the first is given; nil where there is none.
    private func number(for node: Int, amongThoseFrom first: Int?) -> Int? {
        var known = first
        while let target = known {
            if targets[target].id.node == node { return target }
            known = targets[target].next
        }
        return nil
    }

    /// Makes room for the targets of `count` references at once.
    ///
    /// - Parameter most: the most ids of one link.
    mutating func reserve(_ count: Int, most: Int) {
        if targets.count > 1 { return }
        targets.reserveCapacity(1 + min(count, most))
        numbers.reserveCapacity(min(count, most))
    }

    /// Counts a target of a link that has too many, and keeps no more of it than that takes.
    mutating func count(_ id: LinkedValue.ID) {
        guard number(for: id.node, amongThoseFrom: numbers[id.key]) == nil, excess.insert(id).inserted else { return }
        links[id.node].add(aValueOf: id.key.pipeline)
    }

    /// Throws where a link has more than `most` ids, with their number.
    func expectIDs(most: Int) throws(SourceError) {
        guard let link = links.first(where: { $0.count > most }) else { return }
        let name = link.path.names.last ?? ""
        throw SourceError("link `\(name)` has \(link.count) ids, and no more than \(most) are allowed", kind: .invalid)
    }

    /// What came of the load of a target; nil while it has not been asked for.
    func outcome(of target: Int) -> Outcome? { targets[targets[target].loaded].outcome }

    /// All there is to tell of a target has been noted.
    mutating func settle(_ target: Int) {
        if !targets[target].isSettled { openCount -= 1 }
        targets[target].isSettled = true
    }

    /// A target in which no link is followed has this value, and there is no more to tell of it.
    mutating func take(_ payload: [UInt8], as target: Int) {
        targets[target].isNoted = true
        targets[target].fragment = JSONFragment(payload)
        settle(target)
    }

    /// Notes what came of the load for `key`.
    mutating func note(_ outcome: Outcome, of key: Key) {
        if let number = numbers[key] { note(outcome, of: number) }
    }

    /// Notes what came of the load of a target.
    mutating func note(_ outcome: consuming Outcome, of target: Int) { targets[target].outcome = outcome }

    /// Notes a reference that leads nowhere, which the value can do without. Returns its number among ``parts``.
    mutating func note(_ part: PartOutcome, of node: Int) -> Int {
        parts.append(part)
        links[node].addInvalid(part.pipeline)
        return parts.count - 1
    }

    var composition: Composition {
        Composition(
            parts, missing: missing, isComplete: !parts.contains(where: \.isDegraded), isCut: isCut, links: Array(links.dropFirst()))
    }

    /// Calls `body` with each reference in these values whose target has not been settled, in their order. What is told of the elements of
    /// lists that are no ids gets the places of their defaults.
    mutating func forEachOpenReference(in values: [Int], _ body: (LinkReference, inout LinkBook) throws -> Void) rethrows {
        if openCount == 0, parts.isEmpty { return }
        for value in values {
            for (link, targets) in self.targets[value].value?.links ?? [] {
                for place in targets.indices {
                    switch targets[place] {
                    case .null, .invalid: break
                    case .one(let target):
                        if self.targets[target].isSettled { continue }
                        try body(LinkReference(target: target, link: link, place: place, position: nil), &self)
                    case .many(let elements):
                        // Elements of a list have the places that they have without what is left out.
                        var position = 0
                        for element in elements {
                            guard case .one(let target) = element else {
                                if case .invalid(let part) = element {
                                    if link.spec.defaultValue == nil { continue }
                                    parts[part] = parts[part].placed(at: "\(link.target(at: place))/\(position)")
                                }
                                position += 1
                                continue
                            }
                            let isSettled = self.targets[target].isSettled
                            let isPlaced = isSettled || isPlaced(target, of: link)
                            if !isSettled {
                                let position = isPlaced ? position : nil
                                try body(LinkReference(target: target, link: link, place: place, position: position), &self)
                            }
                            if isPlaced { position += 1 }
                        }
                    }
                }
            }
        }
    }

    /// Whether something stands for a target in a list, once it has been asked for.
    private func isPlaced(_ target: Int, of link: PlacedLink) -> Bool {
        switch outcome(of: target)?.result {
        case .value: true
        case .notFound: false
        case .failed, nil: link.spec.defaultValue != nil
        }
    }

    /// The value at hand with what was followed in it.
    mutating func rendered(limit: Int) throws(SourceError) -> [UInt8] {
        guard let value = targets[0].value else { return JSONFragment.null.payload }
        pieces = Array(repeating: (0, 0), count: targets.count)
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
        if value.links.isEmpty { return value.payload }
        var splice = JSONSplice(value.payload)
        spliceCount += 1
        let mark = spliceCount
        for (placed, targets) in value.links {
            splice.reserveCapacity(targets.count)
            let (places, label) = (placed.places, placed.replaces ? nil : splice.number(ofLabel: placed.label))
            for number in targets.indices {
                guard let piece = try piece(targets[number], of: placed, in: &splice, mark, limit: limit) else {
                    // What is left out leaves no reference in its place.
                    if label == nil { splice.remove(places[number]) }
                    continue
                }
                if let label { splice.add(label, piece, after: places[number]) } else { splice.replace(places[number], with: piece) }
                if splice.placedSize > limit { throw Self.tooLarge(splice.placedSize, limit: limit) }
            }
        }
        do throws(JSONScanner.Problem) {
            return try splice.assembled(limit: limit)
        } catch {
            throw SourceError("the value with its links cannot be assembled: \(error.message)", kind: .invalid)
        }
    }

    private static let nothing = -1

    /// The number, in `splice`, of what takes the place of a target; nil where nothing does. A target has one, whatever its places.
    ///
    /// - Parameter mark: the number of the splice.
    private mutating func piece(
        _ target: LinkedValue.Target, of link: PlacedLink, in splice: inout JSONSplice, _ mark: Int, limit: Int
    ) throws(SourceError) -> Int? {
        guard case .one(let number) = target else {
            if case .null = target { return splice.numberOfNull() }
            return try fragment(target, of: link.spec, limit: limit).map { splice.number(of: $0) }
        }
        if pieces[number].splice != mark {
            pieces[number] = (mark, try fragment(target, of: link.spec, limit: limit).map { splice.number(of: $0) } ?? Self.nothing)
        }
        return pieces[number].number == Self.nothing ? nil : pieces[number].number
    }

    /// What takes the place of a target; nil where nothing does.
    private mutating func fragment(_ target: LinkedValue.Target, of link: LinkSpec, limit: Int) throws(SourceError) -> JSONFragment? {
        switch target {
        case .null: return .null
        case .invalid: return link.defaultValue.map { JSONFragment($0) }
        case .one(let number):
            if targets[number].hasValue { return try rendered(number, limit: limit) }
            if let text = link.defaultValue { return JSONFragment(text) }
            return isNotFound(number) ? .null : nil
        case .many(let targets):
            // What is placed counts without commas here, as beside references.
            var list = JSONListWriter()
            var placed = 0
            for target in targets {
                // What is not there is left out of a list.
                if case .one(let number) = target, isNotFound(number) { continue }
                guard let element = try fragment(target, of: link, limit: limit) else { continue }
                placed += element.range.count
                if placed > limit { throw Self.tooLarge(placed, limit: limit) }
                list.add(element)
            }
            do throws(JSONScanner.Problem) {
                return try list.list(limit: limit)
            } catch {
                throw SourceError("the list of link `\(link.name)` cannot be assembled: \(error.message)", kind: .invalid)
            }
        }
    }

    static func tooLarge(_ size: Int, limit: Int) -> SourceError {
        SourceError("the value with its links cannot be assembled: \(size) bytes, and no more than \(limit) are allowed", kind: .invalid)
    }

    private func isNotFound(_ number: Int) -> Bool {
        if case .notFound? = outcome(of: number)?.result { true } else { false }
    }
}
