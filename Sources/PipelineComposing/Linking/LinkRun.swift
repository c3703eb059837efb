import Pipeline
import PipelineLive
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

    /// The value with the targets of `paths` placed in it. Throws ``LinkError`` and `SourceError` where a link cannot be followed, and
    /// `CancellationError`.
    func follow(_ paths: [LinkPath], in payload: [UInt8], of pipeline: DataPipeline, _ key: Key) async throws -> Followed {
        let tree = LinkTree(paths)
        var book = LinkBook(tree, LinkedValue(node: 0, payload: payload, key: key, at: ""), of: pipeline)
        var level = [0]
        while !level.isEmpty {
            let firstNew = book.targets.count
            for number in level {
                guard var value = book.targets[number].value.take() else { continue }
                try placeLinks(of: &value, tree, &book)
                book.targets[number].value = value
            }
            try book.expectIDs(most: most)
            let found = try await load(firstNew..<book.targets.count, for: level, tree, &book)
            level = try nextLevel(found, tree, &book)
        }
        return Followed(payload: try book.rendered(limit: limit), times: book.times, composition: book.composition)
    }

    /// Finds the references of a value, and notes where their targets go.
    private func placeLinks(of value: inout LinkedValue, _ tree: LinkTree, _ book: inout LinkBook) throws {
        guard let spec = book.pipelines[value.node]?.spec else { return }
        let links = try tree.nodes[value.node].links.map { name, node in
            guard let link = spec.links.first(where: { $0.name.hasSameBytes(as: name) }) else {
                throw SourceError("`\(spec.name)` has no link `\(name)`", kind: .invalid)
            }
            return (link, node)
        }
        // The places of each link, and those of members that have its name already.
        let paths = links.flatMap { link, _ in [link.place, link.place.sibling(link.name) ?? link.place] }
        let found: [JSONPlaces]
        do {
            // Each source's JSON is checked before it is an answer.
            found = try JSONScanner.places(of: paths, in: value.payload, isChecked: spec.policy.format == .json)
        } catch {
            throw SourceError("the links of `\(value.key)` cannot be found: \(error)", kind: .invalid)
        }
        for (index, (link, node)) in links.enumerated() {
            let placing = try LinkPlacing(link, node, in: value, from: self)
            try placing.place(found[2 * index], taken: found[2 * index + 1], in: &value, &book)
        }
    }

    /// Gives targets that were found their values. Returns those in which further links are followed.
    private func nextLevel(_ found: [LinkReference], _ tree: LinkTree, _ book: inout LinkBook) throws -> [Int] {
        var level: [Int] = []
        for reference in found {
            let id = book.targets[reference.target].id
            guard case .value(let entry)? = book.outcome(of: reference.target)?.result, let payload = entry.payload else { continue }
            let hasLinks = !tree.nodes[id.node].links.isEmpty
            let json = try book.pipelines[id.node]?.json(payload) ?? payload
            book.targets[reference.target].value = LinkedValue(
                node: id.node, payload: json, key: id.key, at: hasLinks ? reference.at : "")
            if hasLinks { level.append(reference.target) }
        }
        return level
    }
}

extension LinkRun {
    private typealias Loaded = [(key: Key, outcome: Outcome)]

    /// Loads `new` targets, and notes what came of all that the references in the values of a level lead to. Throws at once when a target fails
    /// that the whole cannot do without. Returns the first reference to each target that has a value now.
    private func load(_ new: Range<Int>, for level: [Int], _ tree: LinkTree, _ book: inout LinkBook) async throws -> [LinkReference] {
        let loaded = new.filter { book.targets[$0].loaded == $0 }
        let notAtHand = try takeCopies(of: loaded, tree, &book)
        try demand.bounds.add(loaded.count)
        try await fetch(notAtHand, for: level, &book)
        for number in notAtHand { if let outcome = book.outcome(of: number) { book.links[book.targets[number].id.node].add(outcome) } }
        var found: [LinkReference] = []
        try book.forEachOpenReference(in: level) { reference, book in
            try note(reference, &book)
            if book.targets[reference.target].isSettled { found.append(reference) }
        }
        return found
    }

    /// Notes the copies of targets that memory has at hand. Returns the others.
    private func takeCopies(of targets: [Int], _ tree: LinkTree, _ book: inout LinkBook) throws -> [Int] {
        var notAtHand: [Int] = []
        var rest = targets[...]
        // Those of one link after another: the pipeline is looked up once for them.
        while let first = rest.first {
            let node = book.targets[first].id.node
            let beside = rest.prefix { book.targets[$0].id.node == node }
            rest = rest[beside.endIndex...]
            guard let pipeline = book.pipelines[node] else { continue }
            for target in beside where try !takeCopy(of: target, from: pipeline, tree, &book) { notAtHand.append(target) }
        }
        return notAtHand
    }

    private func takeCopy(of target: Int, from pipeline: DataPipeline, _ tree: LinkTree, _ book: inout LinkBook) throws -> Bool {
        let (node, key) = (book.targets[target].id.node, book.targets[target].id.key)
        watch?.asks(key, of: pipeline)
        var now = clock.recent
        guard demand.policy.readsCaches, let path = pipeline.hitPath, let copy = path.immediateCopy(key, at: &now) else {
            guard demand.recalls, let outcome = watch?.recall(key, at: clock.now) else { return false }
            return try take(outcome, of: target, &book)
        }
        // Of a value that another link may lead to, in which a link is followed, or that lacks something, more is asked for later.
        if tree.nodes.count == 2, copy.missingTargets.isEmpty, let payload = copy.payload {
            try size.add(payload)
            book.times.use(copy: copy, as: "link `\(tree.nodes[node].path.names.last ?? "")`")
            book.links[node].add(aCopyIn: path.name)
            book.take(try pipeline.json(payload), as: target)
            watch?.uses(key, payload)
            return true
        }
        return try take(path.outcome(of: copy, for: key, at: now), of: target, &book)
    }

    private func take(_ outcome: Outcome, of target: Int, _ book: inout LinkBook) throws -> Bool {
        try size.add(outcome)
        book.links[book.targets[target].id.node].add(outcome)
        book.note(outcome, of: target)
        return true
    }

    private func fetch(_ notAtHand: [Int], for level: [Int], _ book: inout LinkBook) async throws {
        if notAtHand.isEmpty { return }
        var waiting: [(pipeline: DataPipeline, keys: [Key])] = []
        var batches: [String: Int] = [:]
        for target in notAtHand {
            let (node, key) = (book.targets[target].id.node, book.targets[target].id.key)
            if let batch = batches[key.pipeline] {
                waiting[batch].keys.append(key)
            } else if let pipeline = book.pipelines[node] {
                batches[key.pipeline] = waiting.count
                waiting.append((pipeline, [key]))
            }
        }
        var targets: [Key: LinkReference] = [:]
        book.forEachOpenReference(in: level) { reference, book in
            let key = book.targets[reference.target].id.key
            if reference.link.spec.isRequired, targets[key] == nil { targets[key] = reference }
        }
        let required = targets
        // They end with the whole, which says then what it has so far.
        let (demand, timeout) = end == nil ? (demand, nil) : demand.asking(nil, endsWithOuter: true, until: end, at: clock.now)
        let loaded = try await withThrowingTaskGroup(of: Loaded.self) { group in
            for (pipeline, keys) in waiting {
                var demand = demand
                if !keys.contains(where: { required[$0] != nil }) { demand.isOptional = true }
                group.addTask { [size, watch, demand, words = timeInWords] in
                    let outcomes = try await pipeline.fetch(
                        many: keys, policy: demand.policy, priority: demand.priority, timeout: timeout, for: demand
                    ) { key, outcome in
                        // The others are not waited for.
                        if case .failed(let failure) = outcome.result, let target = required[key] {
                            watch?.uses(key, outcome, hasFailed: true)
                            throw LinkError(failure, of: target, key, outcome, within: words)
                        }
                        try size.add(outcome)
                    }
                    return zip(keys, outcomes).map { (key: $0, outcome: $1) }
                }
            }
            return try await group.reduce(into: Loaded()) { $0 += $1 }
        }
        for (key, outcome) in loaded { book.note(outcome.asked(with: demand.policy), of: key) }
    }

    /// What the time for the targets is, in words; nil for a deadline.
    private var timeInWords: String? { demand.limit ?? (end == nil || demand.isBound ? nil : PartDemand.outerTime) }

    /// Notes what became of a target. Throws when the whole cannot do without it.
    private func note(_ reference: LinkReference, _ book: inout LinkBook) throws {
        let (key, text) = (book.targets[reference.target].id.key, book.targets[reference.target].text)
        let link = reference.link
        guard let outcome = book.outcome(of: reference.target) else { return }
        let isNew = !book.targets[reference.target].isNoted
        book.targets[reference.target].isNoted = true
        switch outcome.result {
        case .value:
            book.settle(reference.target)
            if isNew { book.times.use(outcome, as: "link `\(link.spec.name)`") }
        case .notFound:
            if isNew { book.times.use(outcome, as: "link `\(link.spec.name)`") }
            let missing = MissingTarget(at: reference.at, pipeline: key.pipeline, id: text)
            if book.told.insert(missing).inserted { book.missing.append(missing) }
        case .failed(let failure):
            watch?.uses(key, outcome, hasFailed: true)
            if link.spec.isRequired { throw LinkError(failure, of: reference, key, outcome, within: timeInWords) }
            if failure.kind == .deadlineExceeded { book.isCut = true }
            guard book.told.insert(MissingTarget(at: reference.at, pipeline: key.pipeline, id: text)).inserted else { return }
            book.parts.append(
                PartOutcome(
                    at: reference.at, key.pipeline, key, .failed, usesDefault: link.spec.defaultValue != nil, outcome: outcome,
                    problem: PartOutcome.Problem(failure, within: timeInWords), isDegraded: true))
            return
        }
        watch?.uses(key, outcome)
        // Also of a whole that came from a cache.
        guard isNew, outcome.isCombined || !outcome.missing.isEmpty else { return }
        let at = reference.at
        book.missing += outcome.missing.map { $0.moved(to: at) }
        guard let nested = outcome.composition else { return }
        if nested.isCut { book.isCut = true }
        book.parts += nested.parts.filter(\.isToldOf).map { $0.moved(to: at) }
    }
}

/// The bytes of the targets, each once: the whole has them all.
private final class LoadedSize: Sendable {
    private let value = Atomic(0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Counts a target. Throws when the whole can only be too large.
    func add(_ outcome: Outcome) throws(SourceError) { try add(outcome.answer?.payload ?? []) }

    /// Counts the value of a target.
    func add(_ payload: [UInt8]) throws(SourceError) {
        let size = value.add(payload.count, ordering: .relaxed).newValue
        if size > limit { throw LinkBook.tooLarge(size, limit: limit) }
    }
}

extension LinkSpec {
    /// Whether the whole fails without a target.
    var isRequired: Bool { !isOptional && defaultValue == nil }
}
