import Synchronization

/// Which wholes were made from which bytes of which parts, so that a change of a part expires what was made from it.
///
/// Only wholes that a cache may hold, or that are parts themselves, are in it. What another process made, or an earlier one, is not.
final class WholeIndex: Sendable {
    /// What a part was: a hash of its bytes; nil for one that was not there.
    typealias Trait = Int?

    fileprivate enum Use {
        /// It has been asked for, and changed meanwhile to each of these.
        case asked(changes: [Trait])
        case used(Trait)
    }

    fileprivate struct Running {
        let whole: Key
        var uses: [Key: Use] = [:]
        /// The part that is no longer what was used.
        var outdated: Key?
    }

    fileprivate struct State {
        /// For each part the wholes made from it.
        var users: [Key: [Key: Trait]] = [:]
        /// For each whole its parts.
        var parts: [Key: (parts: [Key], number: UInt64)] = [:]
        /// Wholes in the order in which they were assembled, with the number of the assembly; those of earlier ones are passed over.
        var order: [(whole: Key, number: UInt64)] = []
        /// Where ``order`` begins.
        var first = 0
        var edges = 0
        var running: [UInt64: Running] = [:]
        var runningUsers: [Key: Set<UInt64>] = [:]
        var last: UInt64 = 0
        var owners: [String: Owner] = [:]
    }

    fileprivate struct Owner {
        weak var invalidation: Invalidation?
    }

    /// The most uses of parts that are remembered.
    private let bound: Int
    private let state = Mutex(State())
    private let isUsed = Atomic(false)

    init(bound: Int = 1_000_000) { self.bound = bound }

    /// Whether there are composites at all.
    var hasComposites: Bool { isUsed.load(ordering: .relaxed) }

    /// The wholes of a composite are forgotten through `invalidation`.
    func add(_ invalidation: Invalidation) {
        state.withLock { $0.owners[invalidation.pipeline] = Owner(invalidation: invalidation) }
        isUsed.store(true, ordering: .relaxed)
    }

    /// One assembly of a whole, from its begin to its end.
    final class Assembly: Sendable {
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
            index.ask(part, number)
            if let pipeline { live?.hold(part, of: pipeline) }
        }

        /// Its value is used, or that there is none.
        func uses(_ part: Key, _ payload: [UInt8]?) { index.use(part, payload.map(\.hashValue), number) }

        /// Ends it. Returns why the whole must not be kept; nil where it may: from now on changes of its parts expire it, and those of the
        /// parts that an earlier one was made from do no longer.
        ///
        /// - Parameter isKept: whether it may be kept otherwise. Where not, caches hold what they held.
        func end(isKept: Bool = true) -> String? {
            if let live { live.holdOnly(index.parts(of: number)) }
            return index.end(number, isKept: isKept, isObserved: live != nil)
        }
    }

    /// - Parameter live: the whole as observers see it; nil where none does.
    func assembly(of whole: Key, observedAs live: LiveKey? = nil) -> Assembly {
        let number = state.withLock { state in
            state.last += 1
            state.running[state.last] = Running(whole: whole)
            return state.last
        }
        return Assembly(self, number, live)
    }

    /// The value of `part` is now `entry`; nil for one that was removed. Expires what was made from another one.
    ///
    /// - Parameters:
    ///   - permit: of the load that found it. What was removed or replaced meanwhile is not the value, and changes nothing.
    ///   - waiting: whether to return when slow caches have done so, too.
    func changed(_ part: Key, to entry: Entry?, by permit: Generations.WritePermit? = nil, waiting: Bool = false) async {
        guard hasComposites, state.withLock({ $0.knows(part, isGone: entry == nil) }) else { return }
        // Outside of the lock: a payload may be long.
        let trait = entry.map { $0.payload.map(\.hashValue) }
        // Asked under the lock: a later change is told later.
        await expire(state.withLock { permit?.isCurrent ?? true ? $0.affected(by: [part], trait) : [:] }, waiting: waiting)
    }

    /// Every value of `pipeline` was removed.
    func removed(pipeline: String, waiting: Bool = false) async {
        guard hasComposites else { return }
        let affected = state.withLock { state in
            let known = Set(state.users.keys).union(state.runningUsers.keys).union(state.parts.keys)
            return state.affected(by: known.filter { $0.pipeline.hasSameBytes(as: pipeline) }, nil)
        }
        await expire(affected, waiting: waiting)
    }

    /// Wholes that a change concerns; true for those whose answers must not be written any more.
    typealias Affected = [Key: Bool]
}

extension WholeIndex {
    private func ask(_ part: Key, _ number: UInt64) {
        state.withLock { state in
            guard state.running[number]?.uses[part] == nil else { return }
            state.running[number]?.uses[part] = .asked(changes: [])
            state.runningUsers[part, default: []].insert(number)
        }
    }

    private func use(_ part: Key, _ trait: Trait, _ number: UInt64) {
        state.withLock { state in
            if case .asked(let changes) = state.running[number]?.uses[part], let last = changes.last, last != trait {
                state.running[number]?.outdated = part
            }
            state.running[number]?.uses[part] = .used(trait)
        }
    }

    private func parts(of number: UInt64) -> Set<Key> { state.withLock { Set($0.running[number]?.uses.keys.map(\.self) ?? []) } }

    private func end(_ number: UInt64, isKept: Bool, isObserved: Bool) -> String? {
        let (reason, evicted) = state.withLock { state -> (String?, [Key]) in
            guard let running = state.take(number) else { return (nil, []) }
            if let part = running.outdated { return ("`\(part)` changed while the whole was assembled", []) }
            // What caches hold is what an earlier one was made from.
            guard isKept || isObserved else { return (nil, []) }
            let used = running.uses.compactMap { part, use in if case .used(let trait) = use { (part: part, trait: trait) } else { nil } }
            guard used.count <= bound else { return ("changes of its parts cannot be watched: \(bound) are watched already", []) }
            state.keep(running.whole, number, madeFrom: used, besides: !isKept)
            return (nil, state.evict(downTo: bound))
        }
        if let owner = evicted.lazy.compactMap({ self.owner(of: $0) }).first {
            // What is not watched any more expires. Ends with the slowest cache.
            owner.background.adopt(Task { await self.expire(Dictionary(uniqueKeysWithValues: evicted.map { ($0, true) }), waiting: true) })
        }
        return reason
    }

    /// What was made from these parts, of which copies were expiring. What is being made from them is not kept.
    func usersMeanwhile(of parts: [Key]) -> Affected { state.withLock { $0.usersMeanwhile(of: parts) } }

    func owner(of whole: Key) -> Invalidation? { state.withLock { $0.owners[whole.pipeline]?.invalidation } }

    private func forget(_ number: UInt64) { state.withLock { _ = $0.take(number) } }
}

extension WholeIndex.State {
    /// Ends the assembly.
    fileprivate mutating func take(_ number: UInt64) -> WholeIndex.Running? {
        guard let taken = running.removeValue(forKey: number) else { return nil }
        for part in taken.uses.keys {
            runningUsers[part]?.remove(number)
            if runningUsers[part]?.isEmpty == true { runningUsers[part] = nil }
        }
        return taken
    }

    /// Whether a change of `key` concerns anything.
    fileprivate func knows(_ key: Key, isGone: Bool) -> Bool {
        users[key] != nil || runningUsers[key] != nil || isGone && parts[key] != nil
    }

    /// Remembers the parts of a whole.
    ///
    /// - Parameter besides: whether also those that an earlier one was made from.
    fileprivate mutating func keep(
        _ whole: Key, _ number: UInt64, madeFrom used: [(part: Key, trait: WholeIndex.Trait)], besides: Bool
    ) {
        if !besides { drop(whole) }
        for (part, trait) in used { users[part, default: [:]][whole] = .some(trait) }
        let all = Set(used.map(\.part)).union(parts[whole]?.parts ?? [])
        edges += all.count - (parts[whole]?.parts.count ?? 0)
        parts[whole] = (Array(all), number)
        order.append((whole, number))
        // Mostly wholes that were assembled again, or are gone.
        guard order.count > 64, order.count > 2 * parts.count else { return }
        order = order[first...].filter { parts[$0.whole]?.number == $0.number }
        first = 0
    }

    /// Forgets the wholes that were assembled first until no more than `most` uses are left. Returns those.
    fileprivate mutating func evict(downTo most: Int) -> [Key] {
        var evicted: [Key] = []
        while edges > most, first < order.count {
            let (whole, number) = order[first]
            first += 1
            guard parts[whole]?.number == number else { continue }
            drop(whole)
            evicted.append(whole)
        }
        return evicted
    }

    /// Forgets the parts of a whole.
    fileprivate mutating func drop(_ whole: Key) {
        for part in parts.removeValue(forKey: whole)?.parts ?? [] {
            edges -= 1
            users[part]?.removeValue(forKey: whole)
            if users[part]?.isEmpty == true { users[part] = nil }
        }
    }

    /// The wholes that were made from other values of these parts, and those that are being made; and what is made from them. Kept ones are
    /// forgotten, also the parts themselves where they are gone.
    ///
    /// - Parameter trait: what the parts are now; nil where that is not known.
    fileprivate mutating func affected(by changed: Set<Key>, _ trait: WholeIndex.Trait?) -> WholeIndex.Affected {
        var affected: WholeIndex.Affected = [:]
        if trait == nil { for part in changed { drop(part) } }
        var (rest, trait, isNested) = (Array(changed), trait, false)
        while !rest.isEmpty {
            var next: [Key] = []
            for part in rest {
                for (whole, isVoid) in self.affected(by: part, trait) {
                    if affected[whole] == nil { next.append(whole) }
                    // A load that runs may take a whole of which copies are still there.
                    affected[whole] = (affected[whole] ?? false) || isVoid || isNested
                }
            }
            (rest, trait, isNested) = (next, nil, true)
        }
        return affected
    }

    /// Forgets what was made from these parts, and returns it. What is being made from them is outdated: it may have been given a copy.
    fileprivate mutating func usersMeanwhile(of parts: [Key]) -> WholeIndex.Affected {
        var affected: WholeIndex.Affected = [:]
        for part in parts {
            for number in runningUsers[part] ?? [] { running[number]?.outdated = part }
            for whole in (users[part] ?? [:]).keys {
                drop(whole)
                affected[whole] = true
            }
        }
        return affected
    }

    /// The answer of a load that has ended may not be written yet: it must not be, unless a load that knows the change runs already.
    private mutating func affected(by part: Key, _ trait: WholeIndex.Trait?) -> WholeIndex.Affected {
        let kept = (users[part] ?? [:]).filter { used in trait.map { $0 != used.value } ?? true }.map(\.key)
        for whole in kept { drop(whole) }
        var void: Set<Key> = []
        for number in runningUsers[part] ?? [] {
            guard let run = running[number], let use = run.uses[part] else { continue }
            switch (use, trait) {
            case (_, nil): break
            case (.asked(let changes), let trait?):
                // The load that it waits for may be the one that brings this value.
                running[number]?.uses[part] = .asked(changes: changes + [trait])
                continue
            case (.used(let used), let trait?): if used == trait { continue }
            }
            running[number]?.outdated = part
            void.insert(run.whole)
        }
        let renewed = kept.isEmpty ? [] : Set(running.values.filter { $0.outdated == nil }.map(\.whole))
        var affected = Dictionary(uniqueKeysWithValues: void.map { ($0, true) })
        for whole in kept where affected[whole] == nil { affected[whole] = !renewed.contains(whole) }
        return affected
    }
}
