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
        var parts: [Key: [Key]] = [:]
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

        fileprivate init(_ index: WholeIndex, _ number: UInt64) { (self.index, self.number) = (index, number) }

        deinit { index.forget(number) }

        /// A part is about to be fetched.
        func asks(_ part: Key) { index.ask(part, number) }

        /// Its value is used, or that there is none.
        func uses(_ part: Key, _ payload: [UInt8]?) { index.use(part, payload.map(\.hashValue), number) }

        /// Ends it. Returns why the whole must not be kept; nil where it may: from now on changes of its parts expire it.
        func end() -> String? { index.end(number) }
    }

    func assembly(of whole: Key) -> Assembly {
        Assembly(
            self,
            state.withLock { state in
                state.last += 1
                state.running[state.last] = Running(whole: whole)
                return state.last
            })
    }

    /// The value of `part` is now `entry`; nil for one that was removed. Expires what was made from another one.
    func changed(_ part: Key, to entry: Entry?) async {
        guard hasComposites else { return }
        await expire(state.withLock { $0.affected(by: part, entry.map { $0.payload.map(\.hashValue) }) })
    }

    /// Every value of `pipeline` was removed.
    func removed(pipeline: String) async {
        guard hasComposites else { return }
        let affected = state.withLock { state in
            let keys = Set(state.users.keys).union(state.runningUsers.keys).filter { $0.pipeline.hasSameBytes(as: pipeline) }
            return keys.reduce(into: Affected()) { $0.merge(state.affected(by: $1, nil)) { $0 || $1 } }
        }
        await expire(affected)
    }

    /// Wholes that a change concerns; true for those whose answers must not be written any more.
    private typealias Affected = [Key: Bool]

    private func expire(_ wholes: Affected) async {
        for (whole, isVoid) in wholes.sorted(by: { $0.key.text < $1.key.text }) {
            guard let owner = state.withLock({ $0.owners[whole.pipeline]?.invalidation }) else { continue }
            await owner.expire(whole, voidingAnswers: isVoid)
            await changed(whole, to: nil)
        }
    }
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

    private func end(_ number: UInt64) -> String? {
        state.withLock { state in
            guard let running = state.take(number) else { return nil }
            state.drop(running.whole)
            if let part = running.outdated { return "`\(part)` changed while the whole was assembled" }
            var parts: [Key] = []
            for (part, use) in running.uses {
                guard case .used(let trait) = use else { continue }
                parts.append(part)
                state.users[part, default: [:]][running.whole] = .some(trait)
            }
            state.parts[running.whole] = parts
            state.edges += parts.count
            guard state.edges > bound else { return nil }
            state.drop(running.whole)
            return "changes of its parts cannot be watched: \(bound) are watched already"
        }
    }

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

    /// Forgets the parts of a whole.
    fileprivate mutating func drop(_ whole: Key) {
        for part in parts.removeValue(forKey: whole) ?? [] {
            edges -= 1
            users[part]?.removeValue(forKey: whole)
            if users[part]?.isEmpty == true { users[part] = nil }
        }
    }

    /// The wholes that were made from another value of `part`, and those that are being made. Kept ones are forgotten.
    ///
    /// The answer of a load that has ended may not be written yet: it must not be, unless a load that knows the change runs already.
    ///
    /// - Parameter trait: what the part is now; nil where that is not known.
    fileprivate mutating func affected(by part: Key, _ trait: WholeIndex.Trait?) -> [Key: Bool] {
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
