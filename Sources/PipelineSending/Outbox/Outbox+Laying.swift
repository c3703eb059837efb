import Pipeline
import PipelineLive
import Synchronization

extension Outbox {
    /// Lays over `keys` what there is by now.
    func layAgain(_ keys: Set<Key>) {
        for key in keys.sorted(by: { $0.text < $1.text }) { lay(over: key) }
    }

    /// - Parameter number: the send that becomes `change` of the value, and is laid over it no more.
    private func lay(over key: Key, applying number: Int64? = nil, _ change: Change? = nil) {
        guard let pipeline = directory[key.pipeline] else { return }
        let made = number.flatMap { number in change.map { (number, $0) } }
        laid.lay(of: name, over: key, of: pipeline, with: made) {
            state.withLock { state in
                if let number { state.applied[number]?.insert(key) }
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

    /// Makes what a send changed, which its origin has, a change of the values, after those of earlier sends, and notes when the caches have it.
    func settleSoon(_ row: SendRow) {
        let mustStart = state.withLock { state in
            guard state.applied[row.number] == nil else { return false }
            state.applied[row.number] = []
            state.toApply.append(row)
            defer { state.isApplying = true }
            return !state.isApplying
        }
        if mustStart { run { await self.applyAll() } }
    }

    /// One after the other: a list has another order otherwise than its origin's.
    private func applyAll() async {
        while let row = state.withLock({ $0.nextToApply() }) {
            let (declared, effects) = state.withLock { state -> (DeclaredSend?, [KeyEffect]) in
                let declared = state.declared[row.name]
                return (declared, state.known[row.number]?.understood.effects ?? (try? declared?.understand(row))?.effects ?? [])
            }
            let answer = declared?.item(in: row.answer)
            for effect in effects { await apply(row, effect, answer: answer) }
            run { await self.settle(row, effects) }
        }
    }

    private func apply(_ row: SendRow, _ effect: KeyEffect, answer: [UInt8]?) async {
        let key = effect.key
        guard let pipeline = directory[key.pipeline], let changed = pipeline.changed(key) else { return }
        switch effect.change.operation {
        case .refresh: return run { await pipeline.loadAnew(key, confirming: nil) }
        case .replace: _ = try? await pipeline.put(effect.item, for: key)
        case .upsert, .patch, .delete: await changed.awaitBase()
        }
        lay(over: key, applying: row.number, effect.made(answer, id: row.madeID))
        if answer == nil, effect.change.operation != .replace { changed.wantRefresh() }
    }

    /// Waits until the caches have what a send changed.
    private func settle(_ row: SendRow, _ effects: [KeyEffect]) async {
        let keys = Set(effects.map(\.key))
        for key in keys {
            guard let pipeline = directory[key.pipeline] else { continue }
            try? await pipeline.flush(key)
            laid.fade(row.number, of: name, from: key, of: pipeline)
        }
        await tell(keys)
        change { state in
            state.applied[row.number] = nil
            return row.isSettled ? [] : state.machine.settled(row.number)
        }
    }

    /// Loads the keys of a send again.
    func loadKeys(of row: SendRow) async {
        let effects = state.withLock { state in
            state.known[row.number]?.understood.effects ?? (try? state.declared[row.name]?.understand(row))?.effects ?? []
        }
        for key in Set(effects.map(\.key)) { await directory[key.pipeline]?.loadAnew(key, confirming: nil) }
    }

    /// Loads the keys of a send for the tag of what it changes.
    func findTag(_ row: SendRow) async {
        let (declared, effect) = state.withLock { ($0.declared[row.name], $0.effects(of: row.number).first) }
        let result = await loaded(effect)
        change { [clock] state in
            state.machine.found(row.number, tag: result.map { declared?.tag(in: $0, of: effect) }, at: clock.now)
        }
    }

    /// Loads the keys of a send to see whether an earlier try was made.
    func check(_ row: SendRow) async {
        let (declared, effects) = state.withLock { ($0.declared[row.name], $0.effects(of: row.number)) }
        var isThere = !effects.isEmpty
        var tag: String?
        for (index, effect) in effects.enumerated() {
            let base = (try? await loaded(effect).get()) ?? nil
            isThere = isThere && effect.isThere(in: base)
            if index == 0 { tag = declared?.tag(in: base, of: effect) }
        }
        change { [clock, isThere, tag] state in state.machine.checked(row.number, isThere: isThere, tag: tag, at: clock.now) }
    }

    /// The value of a key as its origin has it now, without what is laid over it.
    private func loaded(_ effect: KeyEffect?) async -> Result<Entry?, SourceError> {
        guard let effect, let pipeline = directory[effect.key.pipeline] else { return .success(nil) }
        guard let outcome = try? await pipeline.fetch(effect.key, policy: .refresh) else {
            return .failure(SourceError("it was not loaded"))
        }
        if case .failed(let error) = outcome.result { return .failure(SourceError(error.description.firstLine)) }
        return .success(outcome.base)
    }
}

extension Outbox.State {
    /// The next send to be made a change of the values; nil if there is none.
    fileprivate mutating func nextToApply() -> SendRow? {
        isApplying = !toApply.isEmpty
        return toApply.isEmpty ? nil : toApply.removeFirst()
    }

    /// The way in which a key is merged.
    func policy(of key: Key) -> MergePolicy? {
        (changing[key] ?? []).lazy.compactMap { number in
            effects(of: number).lazy.filter { $0.key == key }.compactMap(\.change.merging).first
        }.first
    }
}

extension Outcome {
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
