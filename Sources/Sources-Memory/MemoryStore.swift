import Pipeline

/// Entries in numbered slots: the index finds a key's slot, the policy says which slot to empty.
struct MemoryStore {
    /// Not optional: looking into an optional would copy all of it, at every hit.
    struct Slot {
        let key: Key
        var entry: Entry

        /// What stands in a slot that is free.
        static let vacant = Slot(key: Key(pipeline: ""), entry: Entry([], created: .distantPast))

        var isVacant: Bool { key.isIdentical(to: Self.vacant.key) }
    }

    private var slots: ContiguousArray<Slot> = []
    private var index = SlotIndex()
    private var policy = S3FIFO()

    var keys: [Key] { slots.filter { !$0.isVacant }.map(\.key) }

    func copies(of pipeline: String) -> [CacheContents.Copy] {
        slots.filter { !$0.isVacant && $0.key.pipeline.utf8.elementsEqual(pipeline.utf8) }
            .map { CacheContents.Copy(key: $0.key, entry: $0.entry, size: $0.entry.payload?.count ?? 0) }
    }

    /// The entry of `key`; counts as a use. Allocates nothing.
    mutating func entry(for key: Key, hash: UInt32) -> Entry? {
        guard let number = slot(of: key, hash: hash) else { return nil }
        policy.hit(number)
        return slots[Int(number)].entry
    }

    /// The entry of `key`; `isKnown` unless that is a use that must be counted, which ``entry(for:hash:)`` does. Allocates nothing.
    @inline(__always)
    func look(for key: Key, hash: UInt32, isKnown: inout Bool) -> Entry? {
        guard let number = slot(of: key, hash: hash) else { return nil }
        isKnown = !policy.countsHit(number)
        return isKnown ? slots[Int(number)].entry : nil
    }

    /// Stores `entry` and evicts others until the budget holds; adds their keys to `evicted`. True when none are left and the budget still
    /// does not hold.
    mutating func write(_ entry: Entry, for key: Key, hash: UInt32, cost: Int, budget: MemoryBudget, evicted: inout [Key]) -> Bool {
        if let number = slot(of: key, hash: hash) {
            // Off its queue meanwhile, so that it is not evicted itself.
            policy.take(number)
            budget.change(entries: 0, bytes: cost - self.cost(of: number))
            slots[Int(number)] = Slot(key: key, entry: entry)
            makeRoom(in: budget, &evicted)
            policy.putBack(number)
        } else {
            budget.change(entries: 1, bytes: cost)
            makeRoom(in: budget, &evicted)
            let number = policy.insert(hash: hash)
            if Int(number) == slots.count {
                slots.reserveSlot()
                slots.append(Slot(key: key, entry: entry))
            } else {
                slots[Int(number)] = Slot(key: key, entry: entry)
            }
            index.insert(number, hash: hash)
        }
        return budget.isOver
    }

    /// Puts `entry` in the place of `held`, whose payload stays; false when another one, or none, is there.
    mutating func renew(_ held: Entry, as entry: Entry, for key: Key, hash: UInt32, budget: MemoryBudget) -> Bool {
        guard let number = slot(of: key, hash: hash) else { return false }
        let present = slots[Int(number)].entry
        guard present.created == held.created, present.stored == held.stored, present.payload == held.payload else { return false }
        var renewed = entry
        renewed.payload = present.payload
        budget.change(entries: 0, bytes: MemorySource.cost(of: renewed, for: key) - cost(of: number))
        slots[Int(number)].entry = renewed
        return true
    }

    mutating func remove(_ key: Key, hash: UInt32, budget: MemoryBudget) {
        guard let number = slot(of: key, hash: hash) else { return }
        policy.remove(number)
        empty(number, hash: hash, budget: budget)
        releaseWhenEmpty()
    }

    mutating func clear(pipeline: String, budget: MemoryBudget) {
        for number in slots.indices {
            let slot = slots[number]
            guard !slot.isVacant, slot.key.pipeline.utf8.elementsEqual(pipeline.utf8) else { continue }
            let hash = policy.hash(of: Int32(number))
            policy.remove(Int32(number))
            empty(Int32(number), hash: hash, budget: budget)
        }
        releaseWhenEmpty()
    }

    /// Evicts one entry and returns its key; nil when there is none.
    mutating func evict(budget: MemoryBudget) -> Key? {
        guard let victim = policy.evict() else { return nil }
        let key = slots[Int(victim)].key
        empty(victim, hash: policy.hash(of: victim), budget: budget)
        return key
    }

    private mutating func makeRoom(in budget: MemoryBudget, _ evicted: inout [Key]) {
        while budget.isOver, let key = evict(budget: budget) { evicted.append(key) }
    }

    @inline(__always)
    private func slot(of key: Key, hash: UInt32) -> Int32? {
        index.find(hash: hash) { slots[Int($0)].key.isIdentical(to: key) || slots[Int($0)].key == key }
    }

    private func cost(of number: Int32) -> Int {
        MemorySource.cost(of: slots[Int(number)].entry, for: slots[Int(number)].key)
    }

    private mutating func empty(_ number: Int32, hash: UInt32, budget: MemoryBudget) {
        budget.change(entries: -1, bytes: -cost(of: number))
        index.remove(number, hash: hash)
        slots[Int(number)] = .vacant
    }

    /// A store that grew once and was emptied releases its memory.
    private mutating func releaseWhenEmpty() {
        if policy.count == 0 { self = MemoryStore() }
    }
}
