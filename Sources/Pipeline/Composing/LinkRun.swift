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
    /// The most loads at the same time.
    let concurrency: Int
    /// The largest result.
    let limit: Int
    /// Notes what is used.
    let watch: WholeIndex.Assembly?
    private let size: LoadedSize

    init(
        _ directory: PipelineDirectory, _ demand: PartDemand, until end: Timestamp?, clock: PipelineClock, most: Int = LinkSpec.mostIDs,
        concurrency: Int = 16, limit: Size, watch: WholeIndex.Assembly? = nil
    ) {
        (self.directory, self.demand, self.end, self.clock) = (directory, demand, end, clock)
        (self.most, self.concurrency, self.limit, self.watch) = (most, concurrency, limit.bytes, watch)
        size = LoadedSize(limit: limit.bytes)
    }

    /// The value with the targets of `paths` placed in it. Throws ``SourceError`` where a link cannot be followed, and `CancellationError`.
    func follow(_ paths: [LinkPath], in payload: [UInt8], of pipeline: DataPipeline, _ key: Key) async throws -> Followed {
        let tree = LinkTree(paths)
        var book = LinkBook()
        var level = [LinkedValue(node: 0, payload: payload, pipeline: pipeline.spec, key: key, at: "")]
        book.values[LinkedValue.ID(node: 0, key: key)] = level[0]
        while !level.isEmpty {
            var wanted: [Wanted] = []
            for index in level.indices { wanted += try placeLinks(of: &level[index], tree, &book) }
            for value in level { book.values[value.id] = value }
            try await load(wanted, &book)
            level = try nextLevel(wanted, tree, &book)
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
        /// Where it stands first.
        let at: String
    }

    /// Finds the references of a value, and notes where their targets go.
    func placeLinks(of value: inout LinkedValue, _ tree: LinkTree, _ book: inout LinkBook) throws -> [Wanted] {
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
    private func load(_ wanted: [Wanted], _ book: inout LinkBook) async throws {
        var waiting: [(pipeline: DataPipeline, keys: [Key])] = []
        var batches: [String: Int] = [:]
        var asked: Set<Key> = []
        for target in wanted where book.outcomes[target.id.key] == nil && asked.insert(target.id.key).inserted {
            let (key, pipeline) = (target.id.key, target.pipeline)
            watch?.asks(key, of: pipeline)
            if demand.policy.readsCaches, let outcome = pipeline.immediate(key) {
                book.outcomes[key] = outcome
                try size.add(outcome)
            } else if let batch = batches[key.pipeline] {
                waiting[batch].keys.append(key)
            } else {
                if pipeline.readsSeveral { batches[key.pipeline] = waiting.count }
                waiting.append((pipeline, [key]))
            }
        }
        try demand.loads.add(asked.count)
        let required = Dictionary(wanted.filter { $0.link.isRequired }.map { ($0.id.key, $0) }) { first, _ in first }
        try await fetch(waiting, required, &book)
        for target in wanted { try note(target, &book) }
    }

    private func fetch(
        _ waiting: [(pipeline: DataPipeline, keys: [Key])], _ required: [Key: Wanted], _ book: inout LinkBook
    ) async throws {
        guard !waiting.isEmpty else { return }
        let loaded = try await withThrowingTaskGroup(of: Loaded.self) { group in
            var rest = waiting[...]
            var loaded: Loaded = []
            func start() {
                guard let next = rest.popFirst() else { return }
                let timeout = demand.isBound || end != demand.end ? end.map { max(.zero, $0.duration(since: clock.now)) } : nil
                group.addTask { [demand, size] in
                    let outcomes = try await next.pipeline.fetch(
                        many: next.keys, policy: demand.policy, priority: demand.priority, timeout: timeout, counting: demand.loads
                    ) { key, outcome in
                        // The others are not waited for.
                        if case .failed(let failure) = outcome.result, let target = required[key] { throw Self.error(failure, target) }
                        try size.add(outcome)
                    }
                    return zip(next.keys, outcomes).map { (key: $0, outcome: $1) }
                }
            }
            for _ in 0..<min(max(1, concurrency), waiting.count) { start() }
            while let some = try await group.next() {
                loaded += some
                start()
            }
            return loaded
        }
        for (key, outcome) in loaded { book.outcomes[key] = outcome }
    }

    /// Notes what became of a target. Throws when the whole cannot do without it.
    private func note(_ target: Wanted, _ book: inout LinkBook) throws(SourceError) {
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
            if link.isRequired { throw Self.error(failure, target) }
            guard book.told.insert(MissingTarget(at: target.at, pipeline: key.pipeline, id: target.text)).inserted else { return }
            book.parts.append(
                PartOutcome(
                    at: target.at, key.pipeline, key, .failed, usesDefault: link.defaultValue != nil, outcome: outcome,
                    problem: PartOutcome.Problem(code: failure.kind.rawValue, message: failure.description), isDegraded: true))
            return
        }
        watch?.uses(key, outcome.answer?.payload)
        guard isNew, let nested = outcome.composition else { return }
        book.parts += nested.parts.filter(\.isToldOf).map { $0.moved(to: target.at) }
        book.missing += nested.missing.map { $0.moved(to: target.at) }
    }

    private static func error(_ failure: LoadError, _ target: Wanted) -> SourceError {
        let reason = "link `\(target.link.name)` at `\(target.at)`: \(failure)"
        return failure.kind == .deadlineExceeded ? SourceError(timeout: reason, cause: failure) : SourceError(reason, cause: failure)
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
