import Pipeline
import PipelineLive
import Synchronization

/// Which wholes were made from which bytes of which parts, so that a change of a part expires what was made from it.
///
/// Only wholes that a cache may hold, or that are parts themselves, or observed, are in it, until their time has passed. What another process
/// made, or an earlier one, is in it once this one has read a copy of it. Its lock is taken for pipelines that are parts, and for wholes.
final class WholeIndex: Sendable {
    /// What a part was.
    enum Trait: Hashable, Sendable {
        /// A hash of its bytes, the same in every process.
        case bytes(UInt64)
        /// The part was not there.
        case absent
        /// The part failed, or was not waited for: any value is another.
        case unknown

        init(_ payload: [UInt8]?) { self = payload.map { .bytes(KeyHash().hash(of: $0)) } ?? .absent }
    }

    /// A whole that a change concerns.
    struct Affected: Sendable {
        let whole: Key
        /// Which of its registrations; nil for one that is being assembled.
        let number: UInt64?
        /// Whether it was made from a whole, of which copies are still there.
        var isNested = false
    }

    struct Owner {
        weak var invalidation: Invalidation?
        /// The pipelines it is made from.
        var parts: Set<String> = []
        /// How many of its wholes are kept, and at how many those are looked for of which no cache has a copy any more.
        var keptCount = 0
        var sweepsAt = WholeIndex.fewWholes
    }

    /// Of no more wholes of a composite than this it is looked for those that no cache has.
    private static let fewWholes = 1_000
    /// The most uses of parts that are remembered.
    let bound: Int
    /// How many copies of one cache are listed at first, and at most.
    let listing: ClosedRange<Int>
    let state = Mutex(State())
    private let isUsed = Atomic(false)

    init(bound: Int = 1_000_000, listing: ClosedRange<Int> = 10_000...1_000_000) { (self.bound, self.listing) = (bound, listing) }

    /// Whether there are composites at all.
    var hasComposites: Bool { isUsed.load(ordering: .relaxed) }

    /// How many wholes are remembered, for tests.
    var count: Int { state.withLock(\.kept.count) }

    /// The wholes of a composite are forgotten through `invalidation`.
    func add(_ invalidation: Invalidation) {
        state.withLock { $0.owners[invalidation.pipeline, default: Owner()].invalidation = invalidation }
        isUsed.store(true, ordering: .relaxed)
        _ = invalidation.partFollower
    }

    /// How an assembly ended.
    struct Ending: Sendable {
        /// The part that changed meanwhile; nil where none did.
        var outdated: Key?
        /// Why the whole must not be kept; nil where it may.
        var notKept: String?
        /// What its copies say; nil where there is nothing to say, or it is not kept.
        var madeFrom: MadeFrom?
    }

    /// The composite `pipeline` is made from these.
    func note(_ parts: Set<String>, of pipeline: String) { state.withLock { $0.owners[pipeline]?.parts = parts } }

    /// The pipelines that the composite `pipeline` is made from, not by way of others.
    func parts(of pipeline: String) -> Set<String> { state.withLock { $0.owners[pipeline]?.parts ?? [] } }

    /// One assembly of a whole, from its begin to its end.
    final class Assembly: Sendable {
        /// Void when a part has changed since the end.
        let validity = Validity()
        private let index: WholeIndex
        private let number: UInt64
        /// The whole as observers see it; nil where none does.
        private let live: LiveKey?

        fileprivate init(_ index: WholeIndex, _ number: UInt64, _ live: LiveKey?) {
            (self.index, self.number, self.live) = (index, number, live)
        }

        deinit { index.forget(number) }

        /// A part is about to be fetched from `pipeline`. Where the whole is observed, so is the part.
        func asks(_ part: Key, of pipeline: DataPipeline? = nil) {
            index.state.withLock { $0.ask(part, number) }
            if let pipeline { live?.hold(part, of: pipeline) }
        }

        /// Its value is used, or that there is none.
        func uses(_ part: Key, _ payload: [UInt8]?) { uses(part, Trait(payload)) }

        /// What came of it is used. Where the whole is observed, that is what ``recall(_:at:)`` gives for a while.
        ///
        /// - Parameter hasFailed: whether it has neither a value nor an answer that there is none.
        func uses(_ part: Key, _ outcome: Outcome, hasFailed: Bool = false) {
            let trait = hasFailed ? .unknown : Trait(outcome.answer?.payload)
            let recollection = live.map { (ObjectIdentifier($0), Recollection(of: outcome, trait)) }
            index.change { $0.use(part, trait, number, as: recollection) }
        }

        /// What came of the part when it was asked last for this whole, which is used now: nil where it has changed since, has expired, or is due
        /// to be asked again.
        func recall(_ part: Key, at now: Timestamp) -> Outcome? {
            guard let live else { return nil }
            return index.state.withLock { $0.recall(part, number, of: ObjectIdentifier(live), at: now) }
        }

        func uses(_ part: Key, _ trait: Trait) {
            index.state.withLock { $0.use(part, trait, number) }
        }

        /// It failed.
        func fails(_ part: Key) { index.state.withLock { $0.use(part, .unknown, number) } }

        /// Ends it, also where nothing came of it. Where the whole may be kept, changes of its parts expire it from now on, and those of the
        /// parts that an earlier one was made from do no longer.
        ///
        /// Observers of the whole get it fetched again when one of the parts changes that were asked, also one that failed.
        ///
        /// - Parameters:
        ///   - isKept: whether it may be kept otherwise. Where not, caches hold what they held.
        ///   - isListed: whether a cache may keep what it was made from.
        ///   - missing: the targets of links that are not there.
        ///   - limit: when no cache has it any more; nil where that is not known.
        @discardableResult
        func end(
            isKept: Bool = true, isListed: Bool = false, missing: [MissingTarget] = [], until limit: Timestamp? = nil,
            at now: Timestamp = .distantPast
        ) -> Ending {
            if let live {
                live.holdOnly(index.parts(of: number))
                live.remember(in: index)
            }
            return index.end(
                number, validity, isKept: isKept, isListed: isListed, missing: missing, observedAs: live, until: limit, at: now)
        }
    }

    /// - Parameters:
    ///   - live: the whole as observers see it; nil where none does.
    ///   - asksOrigins: whether it gives what the parts are now.
    func assembly(of whole: Key, observedAs live: LiveKey? = nil, asksOrigins: Bool = true) -> Assembly {
        Assembly(self, state.withLock { $0.begin(whole, asksOrigins: asksOrigins) }, live)
    }

    /// The value of `part` is now `entry`; nil for one that was removed. Expires what was made from another one.
    ///
    /// - Parameters:
    ///   - permit: of the load that found it. What was removed or replaced meanwhile is not the value, and changes nothing.
    ///   - waiting: whether to return when slow caches have done so, too.
    func changed(_ part: Key, to entry: Entry?, by permit: Generations.WritePermit? = nil, waiting: Bool = false) async {
        guard hasComposites, state.withLock({ $0.knows(part, isGone: entry == nil) }), permit?.isCurrent ?? true else { return }
        // Outside of the lock: a payload may be long.
        let trait = entry.map { Trait($0.payload) }
        var affected = change { $0.affected(by: part, trait, isGone: entry == nil) }
        // What took its place meanwhile may have been told before this: then it is not certain what the value is.
        if let permit, !permit.isCurrent { affected += change { $0.affected(by: part, nil) } }
        await expire(affected, waiting: waiting)
    }

    /// Every value of `pipeline` was removed.
    func removed(pipeline: String, waiting: Bool = false) async {
        guard hasComposites else { return }
        let affected = change { state in
            state.known(of: pipeline).flatMap { state.affected(by: $0, nil, isGone: true) }
        }
        await expire(affected, waiting: waiting)
    }

    /// Forgets what came of the parts of an observed whole.
    func forgetParts(of observed: ObjectIdentifier) {
        guard hasComposites else { return }
        change { $0.forgetParts(of: observed) }
    }

    /// Changes the state. What it does not remember any more is released without the lock: with it may go what it was made from.
    func change<Value>(_ body: (inout State) -> Value) -> Value {
        let (value, forgotten) = state.withLock { state in
            defer { state.forgotten = [] }
            return (body(&state), state.forgotten)
        }
        withExtendedLifetime(forgotten) {}
        return value
    }

    func owner(of whole: Key) -> Invalidation? { state.withLock { $0.owners[whole.pipeline]?.invalidation } }
}

extension WholeIndex {
    private func parts(of number: UInt64) -> Set<Key> { state.withLock { Set($0.running[number]?.uses.keys.map(\.self) ?? []) } }

    /// An assembly is over, which may have been cancelled: then its observers have to see in another way what it would have given.
    private func forget(_ number: UInt64) {
        guard let cancelled = state.withLock({ $0.take(number) }), cancelled.isAwaited else { return }
        owner(of: cancelled.whole)?.lives[cancelled.whole]?.fetchAgainForObservers()
    }

    private func end(
        _ number: UInt64, _ validity: Validity, isKept: Bool, isListed: Bool, missing: [MissingTarget],
        observedAs live: LiveKey?, until limit: Timestamp?, at now: Timestamp
    ) -> Ending {
        let isObserved = live != nil
        let (running, ending, evicted) = change { state -> (Running?, Ending, [Affected]) in
            guard let running = state.take(number) else { return (nil, Ending(), []) }
            if let live { state.remember(only: running.uses, of: ObjectIdentifier(live)) }
            var ending = Ending(
                outdated: running.outdated, notKept: running.outdated.map { "`\($0)` changed while the whole was assembled" })
            var mayKeep = isKept && running.outdated == nil
            if mayKeep, isListed || !missing.isEmpty {
                let parts = isListed ? state.withParts(of: running.uses.compactMapValues(\.used)) : [:]
                let madeFrom = MadeFrom(parts, missing: missing)
                mayKeep = madeFrom.fits
                if mayKeep {
                    ending.madeFrom = madeFrom
                } else {
                    ending.notKept =
                        missing.isEmpty ? "it is made from \(parts.count) values, and a copy cannot name so many" : MadeFrom.tooMany
                }
            }
            // What caches hold is what an earlier one was made from.
            guard mayKeep || isObserved else { return (running, ending, []) }
            let used = isObserved ? running.uses.mapValues(\.known) : running.uses.compactMapValues(\.used)
            var evicted: [Affected] = []
            if used.count <= bound {
                state.keep(running.whole, validity, madeFrom: used, besides: !mayKeep, until: limit)
                evicted = state.evict(downTo: bound)
            }
            if used.count > bound || evicted.contains(where: { $0.whole == running.whole }) { ending.notKept = ending.notKept ?? unwatched }
            return (running, ending, evicted)
        }
        guard let running else { return ending }
        var rest = evicted
        // Its observers have to see what has changed meanwhile.
        if isObserved, running.outdated != nil { rest.append(Affected(whole: running.whole, number: nil)) }
        if let owner = rest.compactMap({ owner(of: $0.whole) }).first {
            // What is not watched any more expires. Ends with the slowest cache.
            owner.background.adopt(Task { [rest] in await self.expire(rest, waiting: true) })
        }
        dropPassed(at: now)
        dropEvicted(of: running.whole.pipeline)
        return ending
    }

    /// Forgets the wholes of `pipeline` of which memory has no copy any more. Looks for them when they can be half of what is kept: it takes
    /// time in proportion to what memory holds. Another cache is taken to hold all.
    private func dropEvicted(of pipeline: String) {
        guard let owner = state.withLock({ $0.owners[pipeline]?.beginSweep() }) else { return }
        // Ends when memory has been looked through.
        owner.background.adopt(
            Task {
                let kept = self.state.withLock { $0.keptAlone(of: pipeline) }
                if let held = await self.heldInMemory(of: owner) {
                    // Where a copy is only on its way to memory, it is worthless from now on.
                    // All of them before it is decided when to look again.
                    await self.expireAll(kept.filter { !held.contains($0.whole) && owner.lives[$0.whole] == nil }, waiting: false)
                }
                self.state.withLock { $0.owners[pipeline]?.endSweep() }
            })
    }

    /// The keys of which memory has a copy; nil where another cache may have one, or memory cannot be looked through.
    private func heldInMemory(of owner: Invalidation) async -> Set<Key>? {
        let caches = owner.caches
        guard caches.allSatisfy(\.isImmediate) else { return nil }
        var held: Set<Key> = []
        for cache in caches {
            let answer = await cache.contents(of: owner.pipeline, limit: listing.upperBound).answer
            guard case .copies(let copies, hasMore: false) = answer else { return nil }
            held.formUnion(copies.compactMap(\.listed.key))
        }
        return held
    }

    private var unwatched: String { "changes of its parts cannot be watched: \(bound) are watched already" }

    /// Forgets a few of the wholes whose time has passed: no cache has them any more. Observed ones stay.
    private func dropPassed(at now: Timestamp) {
        let due = state.withLock { $0.takePassed(at: now) }
        for (whole, number) in due {
            let isObserved = owner(of: whole)?.lives[whole] != nil
            state.withLock { $0.pass(whole, number, at: now, lookingAgainAt: isObserved ? now + .seconds(60) : nil) }
        }
    }
}

extension WholeIndex.Owner {
    /// Whether the wholes must be looked for that no cache has: then by the owner, and not again before ``endSweep()``.
    fileprivate mutating func beginSweep() -> Invalidation? {
        guard keptCount >= sweepsAt, let invalidation else { return nil }
        sweepsAt = .max
        return invalidation
    }

    fileprivate mutating func endSweep() { sweepsAt = max(WholeIndex.fewWholes, 2 * keptCount) }
}
