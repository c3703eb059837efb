import Pipeline
import PipelineLive
import Synchronization

extension Outbox {
    /// The sends that become changes of values in this process.
    struct Changes: Sendable {
        /// Those that wait for that, in order.
        private var waiting: [SendRow] = []
        private var isRunning = false
        /// For each that is on its way, the keys whose values have what it changed.
        var keys: [Int64: Set<Key>] = [:]
        /// Those of which this process notes that the caches have them.
        private var ours: Set<Int64> = []
        /// The latest ones that are done.
        private(set) var done: Set<Int64> = []
        private var doneInOrder: [Int64] = []
        /// So many of those are remembered.
        private static let mostDone = 10_000

        /// Adds one, once. Returns whether a task must be started for it.
        mutating func add(_ row: SendRow, isOurs: Bool) -> Bool {
            guard keys[row.number] == nil, !done.contains(row.number) else { return false }
            keys[row.number] = []
            if isOurs { ours.insert(row.number) }
            waiting.append(row)
            defer { isRunning = true }
            return !isRunning
        }

        /// The next one; nil if there is none.
        mutating func next() -> SendRow? {
            isRunning = !waiting.isEmpty
            return waiting.isEmpty ? nil : waiting.removeFirst()
        }

        /// The caches have one. Returns whether this process notes that.
        mutating func settle(_ number: Int64) -> Bool {
            keys[number] = nil
            if done.insert(number).inserted { doneInOrder.append(number) }
            if doneInOrder.count > 2 * Self.mostDone {
                done.subtract(doneInOrder.prefix(Self.mostDone))
                doneInOrder.removeFirst(Self.mostDone)
            }
            return ours.remove(number) != nil
        }
    }

    /// Lays over `keys` what there is by now.
    ///
    /// - Returns: the keys that readers see something else of.
    @discardableResult
    func layAgain(_ keys: Set<Key>) -> Set<Key> {
        keys.sorted { $0.text < $1.text }.reduce(into: []) { if lay(over: $1) { $0.insert($1) } }
    }

    /// - Parameters:
    ///   - number: the send that becomes `change` of the value.
    ///   - isLast: whether it is laid over the value no more.
    @discardableResult
    private func lay(over key: Key, applying number: Int64? = nil, _ change: Change? = nil, isLast: Bool = true) -> Bool {
        guard let pipeline = directory[key.pipeline] else {
            laid.forget(key)
            return false
        }
        let made = number.flatMap { number in change.map { (number, $0) } }
        return laid.lay(of: layerName, over: key, of: pipeline, with: made) {
            state.withLock { state in
                if let number, isLast { state.changes.keys[number]?.insert(key) }
                return (state.layers(over: key), state.policy(of: key))
            }
        }
    }

    /// What is made from the values of `keys` has changed.
    func tell(_ keys: Set<Key>) async {
        for key in keys.sorted(by: { $0.text < $1.text }) {
            await directory[key.pipeline]?.followers.tell(.key(key), by: .call)
        }
    }

    /// Makes what a send changed, which its origin has, a change of the values, after those of earlier sends and once in this process.
    ///
    /// - Parameter isOurs: whether this process notes when the caches have it.
    func settleSoon(_ row: SendRow, isOurs: Bool) {
        let mustStart = state.withLock { state in
            state.changes.add(row, isOurs: isOurs)
        }
        if mustStart { run { await self.applyAll() } }
    }

    /// One after the other: a list has another order otherwise than its origin's.
    private func applyAll() async {
        while let row = state.withLock({ $0.changes.next() }) {
            let (declared, effects) = state.withLock { ($0.declared[row.name], $0.effects(of: row)) }
            let answer = declared?.item(in: row.answer)
            for (index, effect) in effects.enumerated() {
                let isLast = !effects[(index + 1)...].contains { $0.key == effect.key }
                await apply(row, effect, answer: answer, isLastOfKey: isLast)
            }
            run { await self.settle(row, effects) }
        }
    }

    /// - Parameter isLastOfKey: whether the send does nothing more to the key: until then it stays laid over the value.
    private func apply(_ row: SendRow, _ effect: KeyEffect, answer: [UInt8]?, isLastOfKey: Bool) async {
        let key = effect.key
        guard let pipeline = directory[key.pipeline], let changed = pipeline.changed(key) else { return }
        var mustLoad = answer == nil
        switch effect.change.operation {
        case .refresh: return run { await pipeline.loadAnew(key, confirming: nil) }
        case .replace:
            // A value that cannot be put, as one that is too large, is loaded.
            mustLoad = (try? await pipeline.put(effect.item, for: key)) == nil
        case .upsert, .patch, .delete: await changed.awaitBase()
        }
        lay(over: key, applying: row.number, effect.made(answer, id: row.madeID), isLast: isLastOfKey)
        if mustLoad { changed.wantRefresh() }
    }

    /// Waits until the caches have what a send changed.
    private func settle(_ row: SendRow, _ effects: [KeyEffect]) async {
        let keys = Set(effects.map(\.key))
        for key in keys {
            guard let pipeline = directory[key.pipeline] else { continue }
            try? await pipeline.flush(key)
            laid.fade(row.number, of: layerName, from: key, of: pipeline)
        }
        await tell(keys)
        change { [clock] state in
            // The process that delivered it says when its caches have it; this one only forgets it.
            guard !state.changes.settle(row.number) else { return state.machine.settled(row.number) }
            var settled = row
            settled.isSettled = true
            state.forgetEffects(of: row.number)
            return state.machine.note(settled, at: nil, now: clock.now)
        }
    }

    /// Loads the keys of a send again.
    func loadKeys(of row: SendRow) async {
        let effects = state.withLock { $0.effects(of: row) }
        for key in Set(effects.map(\.key)) { await directory[key.pipeline]?.loadAnew(key, confirming: nil) }
    }

    /// Loads the keys of a send for the tag of what it changes.
    func findTag(_ row: SendRow) async {
        let (declared, effect) = state.withLock { ($0.declared[row.name], $0.effects(of: row.number).first) }
        let result = await loaded(effect)
        let isWeak = declared?.hasWeakTag((try? result.get()) ?? nil) ?? false
        change { [clock] state in
            state.machine.found(row.number, tag: result.map { declared?.tag(in: $0, of: effect) }, isWeak: isWeak, at: clock.now)
        }
    }

    /// Loads the keys of a send to see whether an earlier try was made.
    func check(_ row: SendRow) async {
        let (declared, effects) = state.withLock { ($0.declared[row.name], $0.effects(of: row.number)) }
        var isThere: Bool? = !effects.isEmpty
        var tag: String?
        for (index, effect) in effects.enumerated() {
            guard case .success(let base) = await loaded(effect) else {
                // Nobody knows.
                isThere = nil
                break
            }
            isThere = isThere == true && effect.isThere(in: base)
            if index == 0 { tag = declared?.tag(in: base, of: effect) }
        }
        change { [clock, isThere, tag] state in state.machine.checked(row.number, isThere: isThere, tag: tag, at: clock.now) }
    }

    /// The value of a key as its origin has it now, without what is laid over it.
    private func loaded(_ effect: KeyEffect?) async -> Result<Entry?, SourceError> {
        guard let effect, let pipeline = directory[effect.key.pipeline] else { return .success(nil) }
        // A load that runs may have begun before the origin made the change.
        pipeline.invalidation.detach(.key(effect.key))
        guard let outcome = try? await pipeline.fetch(effect.key, policy: .refresh) else {
            return .failure(SourceError("it was not loaded"))
        }
        if outcome.isOnlyLaid { return .failure(SourceError("it was not loaded")) }
        if case .failed(let error) = outcome.result { return .failure(SourceError(error.description.firstLine)) }
        return .success(outcome.base)
    }
}

extension Outbox.State {
    /// What a row does, also if the machine does not have it.
    fileprivate func effects(of row: SendRow) -> [KeyEffect] {
        known[row.number]?.understood.effects ?? (try? declared[row.name]?.understand(row))?.effects ?? []
    }

    /// The way in which a key is merged.
    func policy(of key: Key) -> MergePolicy? {
        (changing[key] ?? []).lazy.compactMap { number in
            effects(of: number).lazy.filter { $0.key == key }.compactMap(\.change.merging).first
        }.first
    }
}

extension Outcome {
    /// Indicates whether the load failed below what is laid over.
    fileprivate var isOnlyLaid: Bool { (detail as? LaidSends)?.hasNoBase ?? false }

    /// The value without what is laid over it; nil if there is none.
    fileprivate var base: Entry? {
        if let under = detail?.under { return under.entry }
        if case .value(let entry) = result { return entry }
        return nil
    }
}

extension String {
    fileprivate var firstLine: String { String(prefix { !$0.isNewline }) }
}
