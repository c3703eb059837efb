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
        var book = LinkBook(tree)
        var level = [LinkedValue(node: 0, payload: payload, pipeline: pipeline.spec, key: key, at: "")]
        book.values[LinkedValue.ID(node: 0, key: key)] = level[0]
        while !level.isEmpty {
            var wanted: [Wanted] = []
            for index in level.indices { wanted += try placeLinks(of: &level[index], tree, &book) }
            for value in level { book.values[value.id] = value }
            let found = try await load(wanted, &book)
            level = try nextLevel(found, tree, &book)
        }
        let whole = try book.rendered(LinkedValue.ID(node: 0, key: key), limit: limit)
        return Followed(payload: whole.payload, times: book.times, composition: book.composition)
    }

    /// A target that a link leads to.
    struct Wanted {
        let id: LinkedValue.ID
        let pipeline: DataPipeline
        let link: LinkSpec
        /// The id, as text.
        let text: String
        /// Where it stands first: of an element of a list the place of the list, until it is known which elements there are.
        var at: String
        /// The list that it is an element of, and how many nulls there are before it; nil for one alone.
        var list: (number: Int, nulls: Int)?
    }

    /// Finds the references of a value, and notes where their targets go.
    private func placeLinks(of value: inout LinkedValue, _ tree: LinkTree, _ book: inout LinkBook) throws -> [Wanted] {
        let links = try tree.nodes[value.node].links.map { name, node in
            guard let link = value.pipeline.links.first(where: { $0.name.hasSameBytes(as: name) }) else {
                throw SourceError(invalid: "`\(value.pipeline.name)` has no link `\(name)`")
            }
            return (link, node)
        }
        // The places of each link, and those of members that have its name already.
        let paths = links.flatMap { link, _ in [link.place, link.place.sibling(link.name) ?? link.place] }
        let found: [JSONPlaces]
        do {
            found = try JSONScanner.places(of: paths, in: value.payload)
        } catch {
            throw SourceError(invalid: "the links of `\(value.key)` cannot be found: \(error)")
        }
        var wanted: [Wanted] = []
        for (index, (link, node)) in links.enumerated() {
            let placing = try LinkPlacing(link, node, in: value, from: self)
            wanted += try placing.place(found[2 * index], taken: found[2 * index + 1], in: &value, &book)
        }
        return wanted
    }

    /// The values in which further links are followed.
    private func nextLevel(_ wanted: [Wanted], _ tree: LinkTree, _ book: inout LinkBook) throws -> [LinkedValue] {
        var level: [LinkedValue] = []
        for target in wanted where book.values[target.id] == nil {
            guard let payload = (try? book.outcomes[target.id.key]?.entry)?.payload else { continue }
            let value = LinkedValue(
                node: target.id.node, payload: try target.pipeline.json(payload), pipeline: target.pipeline.spec, key: target.id.key,
                at: target.at)
            book.values[value.id] = value
            if !tree.nodes[target.id.node].links.isEmpty { level.append(value) }
        }
        return level
    }
}

extension LinkRun {
    private typealias Loaded = [(key: Key, outcome: Outcome)]

    /// Loads what is not there yet. Throws at once when a target fails that the whole cannot do without.
    ///
    /// - Returns: the same with their places.
    private func load(_ wanted: [Wanted], _ book: inout LinkBook) async throws -> [Wanted] {
        var waiting: [(pipeline: DataPipeline, keys: [Key])] = []
        var batches: [String: Int] = [:]
        var asked: Set<Key> = []
        var nodes: [Key: Int] = [:]
        for target in wanted where book.outcomes[target.id.key] == nil && asked.insert(target.id.key).inserted {
            let (key, pipeline) = (target.id.key, target.pipeline)
            watch?.asks(key, of: pipeline)
            if demand.policy.readsCaches, let outcome = pipeline.immediate(key) {
                book.outcomes[key] = outcome
                book.links[target.id.node].add(outcome)
                try size.add(outcome)
                continue
            }
            nodes[key] = target.id.node
            if let batch = batches[key.pipeline] {
                waiting[batch].keys.append(key)
            } else {
                batches[key.pipeline] = waiting.count
                waiting.append((pipeline, [key]))
            }
        }
        try demand.bounds.add(asked.count)
        let required = Dictionary(wanted.filter { $0.link.isRequired }.map { ($0.id.key, $0) }) { first, _ in first }
        try await fetch(waiting, required, &book)
        for key in waiting.flatMap(\.keys) {
            if let node = nodes[key], let outcome = book.outcomes[key] { book.links[node].add(outcome) }
        }
        let placed = placed(wanted, book)
        for target in placed { try note(target, &book) }
        return placed
    }

    /// The targets with their places: elements of a list have those that they have without what is left out.
    private func placed(_ wanted: [Wanted], _ book: LinkBook) -> [Wanted] {
        var (list, count): (Int?, Int) = (nil, 0)
        return wanted.map { target in
            guard let place = target.list, book.isPlaced(target.id, of: target.link) else { return target }
            if place.number != list { (list, count) = (place.number, 0) }
            defer { count += 1 }
            var target = target
            target.at += "/\(place.nulls + count)"
            return target
        }
    }

    private func fetch(
        _ waiting: [(pipeline: DataPipeline, keys: [Key])], _ required: [Key: Wanted], _ book: inout LinkBook
    ) async throws {
        guard !waiting.isEmpty else { return }
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
                            throw LinkError(failure, of: target, outcome, within: words)
                        }
                        try size.add(outcome)
                    }
                    return zip(keys, outcomes).map { (key: $0, outcome: $1) }
                }
            }
            return try await group.reduce(into: Loaded()) { $0 += $1 }
        }
        for (key, outcome) in loaded { book.outcomes[key] = outcome }
    }

    /// What the time for the targets is, in words; nil for a deadline.
    private var timeInWords: String? { demand.limit ?? (end == nil || demand.isBound ? nil : PartDemand.wholeTime) }

    /// Notes what became of a target. Throws when the whole cannot do without it.
    private func note(_ target: Wanted, _ book: inout LinkBook) throws {
        let (key, link) = (target.id.key, target.link)
        guard let outcome = book.outcomes[key] else { return }
        let isNew = book.noted.insert(target.id).inserted
        switch outcome.result {
        case .value:
            if isNew { book.times.use(outcome, as: "link `\(link.name)`") }
        case .notFound:
            if isNew { book.times.use(outcome, as: "link `\(link.name)`") }
            let missing = MissingTarget(at: target.at, pipeline: key.pipeline, id: target.text)
            if book.told.insert(missing).inserted { book.missing.append(missing) }
        case .failed(let failure):
            watch?.fails(key)
            if link.isRequired { throw LinkError(failure, of: target, outcome, within: timeInWords) }
            if failure.kind == .deadlineExceeded { book.isCut = true }
            guard book.told.insert(MissingTarget(at: target.at, pipeline: key.pipeline, id: target.text)).inserted else { return }
            book.parts.append(
                PartOutcome(
                    at: target.at, key.pipeline, key, .failed, usesDefault: link.defaultValue != nil, outcome: outcome,
                    problem: PartOutcome.Problem(failure, within: timeInWords), isDegraded: true))
            return
        }
        watch?.uses(key, outcome.answer?.payload)
        guard isNew, let nested = outcome.composition else { return }
        if nested.isCut { book.isCut = true }
        book.parts += nested.parts.filter(\.isToldOf).map { $0.moved(to: target.at) }
        book.missing += nested.missing.map { $0.moved(to: target.at) }
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
