internal import PipelineJSON
import Synchronization

/// Follows links in a value, level by level: the targets of one level are loaded together, each once.
struct LinkRun {
    /// A value with its followed ones in it.
    struct Followed: Sendable {
        let payload: [UInt8]
        let times: PartTimes
        let composition: Composition
    }

    let directory: PipelineDirectory
    let demand: PartDemand
    /// When the targets must be there; nil without a limit.
    let end: Timestamp?
    let clock: PipelineClock
    /// The most ids of one link.
    let most: Int
    /// The largest result.
    let limit: Int
    /// Notes what is used.
    let watch: WholeIndex.Assembly?
    private let size: LoadedSize

    init(
        _ directory: PipelineDirectory, _ demand: PartDemand, until end: Timestamp?, clock: PipelineClock, most: Int = LinkSpec.mostIDs,
        limit: Size, watch: WholeIndex.Assembly? = nil
    ) {
        (self.directory, self.demand, self.end, self.clock) = (directory, demand, end, clock)
        (self.most, self.limit, self.watch) = (most, limit.bytes, watch)
        size = LoadedSize(limit: limit.bytes)
    }

    /// The value with the targets of `paths` placed in it. Throws ``LinkError`` and ``SourceError`` where a link cannot be followed, and
    /// `CancellationError`.
    func follow(_ paths: [LinkPath], in payload: [UInt8], of pipeline: DataPipeline, _ key: Key) async throws -> Followed {
        let tree = LinkTree(paths)
        var book = LinkBook(tree, LinkedValue(node: 0, payload: payload, pipeline: pipeline, key: key, at: ""))
        var level = [0]
        while !level.isEmpty {
            var wanted: [Wanted] = []
            for number in level {
                guard var value = book.targets[number].value.take() else { continue }
                try placeLinks(of: &value, tree, &book, &wanted)
                book.targets[number].value = value
            }
            try await load(&wanted, &book)
            level = try nextLevel(wanted, tree, &book)
        }
        return Followed(payload: try book.rendered(limit: limit), times: book.times, composition: book.composition)
    }

    /// A reference, and the target that it leads to.
    struct Wanted {
        /// Its number in the ``LinkBook``.
        let target: Int
        let link: PlacedLink
        /// The number of its place among those of the link.
        let place: Int
        /// The list that it is an element of, and how many nulls there are before it; nil for one alone.
        var list: (number: Int, nulls: Int)?
        /// Which element of that list the target is; nil until it is known which elements there are.
        var position: Int?

        /// Where the target stands; the list while ``position`` is not known.
        var at: String { link.target(at: place) + (position.map { "/\($0)" } ?? "") }
    }

    /// Finds the references of a value, and notes where their targets go.
    private func placeLinks(
        of value: inout LinkedValue, _ tree: LinkTree, _ book: inout LinkBook, _ wanted: inout [Wanted]
    ) throws {
        let links = try tree.nodes[value.node].links.map { name, node in
            guard let link = value.pipeline.spec.links.first(where: { $0.name.hasSameBytes(as: name) }) else {
                throw SourceError("`\(value.pipeline.spec.name)` has no link `\(name)`", kind: .invalid)
            }
            return (link, node)
        }
        // The places of each link, and those of members that have its name already.
        let paths = links.flatMap { link, _ in [link.place, link.place.sibling(link.name) ?? link.place] }
        let found: [JSONPlaces]
        do {
            found = try JSONScanner.places(of: paths, in: value.payload)
        } catch {
            throw SourceError("the links of `\(value.key)` cannot be found: \(error)", kind: .invalid)
        }
        for (index, (link, node)) in links.enumerated() {
            let placing = try LinkPlacing(link, node, in: value, from: self)
            try placing.place(found[2 * index], taken: found[2 * index + 1], in: &value, &book, &wanted)
        }
    }

    /// The values in which further links are followed.
    private func nextLevel(_ wanted: [Wanted], _ tree: LinkTree, _ book: inout LinkBook) throws -> [Int] {
        var level: [Int] = []
        for index in wanted.indices where book.targets[wanted[index].target].value == nil {
            let reference = wanted[index]
            let (id, pipeline) = (book.targets[reference.target].id, book.targets[reference.target].pipeline)
            guard case .value(let entry)? = book.targets[reference.target].outcome?.result, let payload = entry.payload else { continue }
            let hasLinks = !tree.nodes[id.node].links.isEmpty
            book.targets[reference.target].value = LinkedValue(
                node: id.node, payload: try pipeline.json(payload), pipeline: pipeline, key: id.key, at: hasLinks ? reference.at : "")
            if hasLinks { level.append(reference.target) }
        }
        return level
    }
}

extension LinkRun {
    private typealias Loaded = [(key: Key, outcome: Outcome)]

    /// Loads what is not there yet. Throws at once when a target fails that the whole cannot do without.
    private func load(_ wanted: inout [Wanted], _ book: inout LinkBook) async throws {
        let new = ask(wanted, &book)
        var waiting: [(pipeline: DataPipeline, keys: [Key])] = []
        var batches: [String: Int] = [:]
        var asked: Set<Key> = []
        var loaded: [Int] = []
        book.outcomes.reserveCapacity(book.outcomes.count + new.count)
        for number in new where book.outcomes[book.targets[number].id.key] == nil {
            let (key, pipeline) = (book.targets[number].id.key, book.targets[number].pipeline)
            if asked.contains(key) { continue }
            loaded.append(number)
            watch?.asks(key, of: pipeline)
            if demand.policy.readsCaches, let outcome = pipeline.immediate(key) {
                book.outcomes[key] = outcome.asked(with: demand.policy)
                try size.add(outcome)
                continue
            }
            asked.insert(key)
            if let batch = batches[key.pipeline] {
                waiting[batch].keys.append(key)
            } else {
                batches[key.pipeline] = waiting.count
                waiting.append((pipeline, [key]))
            }
        }
        try demand.bounds.add(loaded.count)
        try await fetch(waiting, wanted, &book)
        for number in new { book.targets[number].outcome = book.outcomes[book.targets[number].id.key] }
        for number in loaded { if let outcome = book.targets[number].outcome { book.links[book.targets[number].id.node].add(outcome) } }
        findPositions(of: &wanted, book)
        for index in wanted.indices where !book.targets[wanted[index].target].isSettled { try note(wanted[index], &book) }
    }

    /// The targets that are asked for now.
    private func ask(_ wanted: [Wanted], _ book: inout LinkBook) -> [Int] {
        var new: [Int] = []
        for index in wanted.indices where !book.targets[wanted[index].target].isAsked {
            book.targets[wanted[index].target].isAsked = true
            new.append(wanted[index].target)
        }
        return new
    }

    /// Elements of a list have the places that they have without what is left out.
    private func findPositions(of wanted: inout [Wanted], _ book: LinkBook) {
        var (list, count): (Int?, Int) = (nil, 0)
        for index in wanted.indices {
            guard let place = wanted[index].list, book.isPlaced(wanted[index].target, of: wanted[index].link.spec) else { continue }
            if place.number != list { (list, count) = (place.number, 0) }
            wanted[index].position = place.nulls + count
            count += 1
        }
    }

    private func fetch(
        _ waiting: [(pipeline: DataPipeline, keys: [Key])], _ wanted: [Wanted], _ book: inout LinkBook
    ) async throws {
        guard !waiting.isEmpty else { return }
        let required = Dictionary(
            wanted.lazy.filter { $0.link.spec.isRequired }.map { [book] in (book.targets[$0.target].id.key, $0) }
        ) { first, _ in first }
        // They end with the whole, which says then what it has so far.
        let (demand, timeout) = end == nil ? (demand, nil) : demand.asking(nil, endsWithWhole: true, until: end, at: clock.now)
        let loaded = try await withThrowingTaskGroup(of: Loaded.self) { group in
            for (pipeline, keys) in waiting {
                group.addTask { [size, watch, words = timeInWords] in
                    let outcomes = try await pipeline.fetch(
                        many: keys, policy: demand.policy, priority: demand.priority, timeout: timeout, for: demand
                    ) { key, outcome in
                        // The others are not waited for.
                        if case .failed(let failure) = outcome.result, let target = required[key] {
                            watch?.fails(key)
                            throw LinkError(failure, of: target, key, outcome, within: words)
                        }
                        try size.add(outcome)
                    }
                    return zip(keys, outcomes).map { (key: $0, outcome: $1) }
                }
            }
            return try await group.reduce(into: Loaded()) { $0 += $1 }
        }
        for (key, outcome) in loaded { book.outcomes[key] = outcome.asked(with: demand.policy) }
    }

    /// What the time for the targets is, in words; nil for a deadline.
    private var timeInWords: String? { demand.limit ?? (end == nil || demand.isBound ? nil : PartDemand.wholeTime) }

    /// Notes what became of a target. Throws when the whole cannot do without it.
    private func note(_ reference: Wanted, _ book: inout LinkBook) throws {
        let (key, text, link) = (book.targets[reference.target].id.key, book.targets[reference.target].text, reference.link)
        guard let outcome = book.targets[reference.target].outcome else { return }
        let isNew = !book.targets[reference.target].isNoted
        book.targets[reference.target].isNoted = true
        switch outcome.result {
        case .value:
            book.targets[reference.target].isSettled = true
            if isNew { book.times.use(outcome, as: "link `\(link.spec.name)`") }
        case .notFound:
            if isNew { book.times.use(outcome, as: "link `\(link.spec.name)`") }
            let missing = MissingTarget(at: reference.at, pipeline: key.pipeline, id: text)
            if book.told.insert(missing).inserted { book.missing.append(missing) }
        case .failed(let failure):
            watch?.fails(key)
            if link.spec.isRequired { throw LinkError(failure, of: reference, key, outcome, within: timeInWords) }
            if failure.kind == .deadlineExceeded { book.isCut = true }
            guard book.told.insert(MissingTarget(at: reference.at, pipeline: key.pipeline, id: text)).inserted else { return }
            book.parts.append(
                PartOutcome(
                    at: reference.at, key.pipeline, key, .failed, usesDefault: link.spec.defaultValue != nil, outcome: outcome,
                    problem: PartOutcome.Problem(failure, within: timeInWords), isDegraded: true))
            return
        }
        watch?.uses(key, outcome.answer?.payload)
        guard isNew, let nested = outcome.composition else { return }
        if nested.isCut { book.isCut = true }
        let at = reference.at
        book.parts += nested.parts.filter(\.isToldOf).map { $0.moved(to: at) }
        book.missing += nested.missing.map { $0.moved(to: at) }
    }
}

/// The bytes of the targets, each once: the whole has them all.
private final class LoadedSize: Sendable {
    private let value = Atomic(0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Counts a target. Throws when the whole can only be too large.
    func add(_ outcome: Outcome) throws(SourceError) {
        let size = value.add(outcome.answer?.payload?.count ?? 0, ordering: .relaxed).newValue
        if size > limit { throw LinkBook.tooLarge(size, limit: limit) }
    }
}

extension LinkSpec {
    /// Whether the whole fails without a target.
    var isRequired: Bool { !isOptional && defaultValue == nil }
}
