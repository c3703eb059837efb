import Pipeline

/// Entries in numbered slots: the index finds a key's slot, the policy says which slot to empty.
struct MemoryStore {
    /// A key and its entry but for the origin's name. Not optional: looking into an optional would copy all of it, at every hit.
    struct Slot {
        let key: Key
        private var payload: [UInt8]?
        private var created: Timestamp
        private var storedOrPast: Timestamp
        private var freshUntilOrFuture: Timestamp
        private var details: Entry.Details?

        init(_ key: Key, _ entry: Entry) {
            self.key = key
            payload = entry.payload
            created = entry.created
            storedOrPast = entry.storedOrPast
            freshUntilOrFuture = entry.freshUntilOrFuture
            details = entry.details
        }

        /// The value of a slot that is free.
        static let vacant = Slot(Key(pipeline: ""), Entry([], created: .distantPast))

        var isVacant: Bool { key.isIdentical(to: Self.vacant.key) }

        @inline(__always)
        func entry(from source: String?) -> Entry {
            Entry(
                payload: payload, created: created, storedOrPast: storedOrPast, freshUntilOrFuture: freshUntilOrFuture, source: source,
                details: details)
        }
    }

    private var slots: ContiguousArray<Slot> = []
    private var origins = OriginNames()
    private var index = SlotIndex()
    private var policy = S3FIFO()

    var keys: [Key] { slots.filter { !$0.isVacant }.map(\.key) }

    func copies(of pipeline: String) -> [CacheContents.Copy] {
        slots.indices.filter { !slots[$0].isVacant && slots[$0].key.pipeline.utf8.elementsEqual(pipeline.utf8) }
            .map { number in
                let entry = entry(in: Int32(number))
                return CacheContents.Copy(key: slots[number].key, entry: entry, size: entry.size)
            }
    }

    /// The value that `take` makes of the slot with this hash whose key `matches` accepts; counts as a use. Allocates nothing.
    @inline(__always)
    mutating func copy<Copy: Sendable>(hash: UInt32, _ matches: (Key) -> Bool, _ take: (borrowing Slot, _ source: String?) -> Copy) -> Copy?
    {
        guard let number = slot(hash: hash, matches) else { return nil }
        policy.hit(number)
        return take(slots[Int(number)], origins[number])
    }

    /// The value that `take` makes; `isKnown` unless that is a use that must be counted, which ``copy(hash:_:_:)`` does. Allocates nothing.
    @inline(__always)
    func look<Copy: Sendable>(
        hash: UInt32, isKnown: inout Bool, _ matches: (Key) -> Bool, _ take: (borrowing Slot, _ source: String?) -> Copy
    ) -> Copy? {
        guard let number = slot(hash: hash, matches) else { return nil }
        isKnown = !policy.countsHit(number)
        return isKnown ? take(slots[Int(number)], origins[number]) : nil
    }

    /// Stores `entry` and evicts others until the budget holds; adds their keys to `evicted`. True when none are left and the budget still
    /// does not hold.
    mutating func write(_ entry: Entry, for key: Key, hash: UInt32, cost: Int, budget: MemoryBudget, evicted: inout [Key]) -> Bool {
        if let number = slot(of: key, hash: hash) {
            // Off its queue meanwhile, so that it is not evicted itself.
            policy.take(number)
            budget.change(entries: 0, bytes: cost - self.cost(of: number))
            put(entry, for: key, in: number)
            makeRoom(in: budget, &evicted)
            policy.putBack(number)
        } else {
            budget.change(entries: 1, bytes: cost)
            makeRoom(in: budget, &evicted)
            let number = policy.insert(hash: hash)
            put(entry, for: key, in: number)
            index.insert(number) { [policy] in policy.hash(of: $0) }
        }
        return budget.isOver
    }

    /// Puts `entry` in the place of `held`, whose payload stays; false when another one, or none, is there.
    mutating func renew(_ held: Entry, as entry: Entry, for key: Key, hash: UInt32, budget: MemoryBudget) -> Bool {
        guard let number = slot(of: key, hash: hash) else { return false }
        let present = self.entry(in: number)
        guard present.created == held.created, present.stored == held.stored, present.payload == held.payload else { return false }
        var renewed = entry
        renewed.payload = present.payload
        budget.change(entries: 0, bytes: MemorySource.cost(of: renewed, for: key) - cost(of: number))
        put(renewed, for: slots[Int(number)].key, in: number)
        return true
    }

    mutating func remove(_ key: Key, hash: UInt32, budget: MemoryBudget) {
        guard let number = slot(of: key, hash: hash) else { return }
        policy.remove(number)
        empty(number, budget: budget)
        releaseWhenEmpty()
    }

    mutating func clear(pipeline: String, budget: MemoryBudget) {
        for number in slots.indices {
            let slot = slots[number]
            guard !slot.isVacant, slot.key.pipeline.utf8.elementsEqual(pipeline.utf8) else { continue }
            policy.remove(Int32(number))
            empty(Int32(number), budget: budget)
        }
        releaseWhenEmpty()
    }

    /// Evicts one entry and returns its key; nil if there is none.
    mutating func evict(budget: MemoryBudget) -> Key? {
        guard let victim = policy.evict() else { return nil }
        let key = slots[Int(victim)].key
        empty(victim, budget: budget)
        return key
    }

    private mutating func makeRoom(in budget: MemoryBudget, _ evicted: inout [Key]) {
        while budget.isOver, let key = evict(budget: budget) { evicted.append(key) }
    }

    private func slot(of key: Key, hash: UInt32) -> Int32? { slot(hash: hash) { $0 == key } }

    @inline(__always)
    private func slot(hash: UInt32, _ matches: (Key) -> Bool) -> Int32? {
        index.find(hash: hash) { policy.hash(of: $0) == hash && matches(slots[Int($0)].key) }
    }

    @inline(__always)
    private func entry(in number: Int32) -> Entry { slots[Int(number)].entry(from: origins[number]) }

    /// Puts an entry in a slot that is there, or in the next one.
    private mutating func put(_ entry: Entry, for key: Key, in number: Int32) {
        origins.set(entry.source, of: number)
        if Int(number) == slots.count {
            slots.reserveSlot()
            slots.append(Slot(key, entry))
        } else {
            slots[Int(number)] = Slot(key, entry)
        }
    }

    private func cost(of number: Int32) -> Int {
        MemorySource.cost(of: entry(in: number), for: slots[Int(number)].key)
    }

    private mutating func empty(_ number: Int32, budget: MemoryBudget) {
        budget.change(entries: -1, bytes: -cost(of: number))
        index.remove(number) { [policy] in policy.hash(of: $0) }
        slots[Int(number)] = .vacant
        origins.set(nil, of: number)
    }

    /// A store that grew once and was emptied releases its memory.
    private mutating func releaseWhenEmpty() {
        if policy.count == 0 { self = MemoryStore() }
    }
}

/// The names of the origins of a store's entries, a byte for each entry: there are few names.
struct OriginNames {
    /// Says that the name is among the others.
    private static let other = UInt8.max

    /// The number of each slot's name, from 1 on; 0 for none.
    private var numbers: ContiguousArray<UInt8> = []
    private var names: ContiguousArray<String> = []
    /// The names that have no number any more: entries that another program wrote may name anything.
    private var others: [Int32: String] = [:]

    /// The name of the slot's origin.
    @inline(__always)
    subscript(slot: Int32) -> String? {
        let number = numbers[Int(slot)]
        return number == 0 ? nil : number == Self.other ? others[slot] : names[Int(number) - 1]
    }

    /// Notes the name of a slot that is there, or of the next one.
    mutating func set(_ name: String?, of slot: Int32) {
        if Int(slot) == numbers.count {
            numbers.reserveSlot()
            numbers.append(0)
        }
        if numbers[Int(slot)] == Self.other { others[slot] = nil }
        let number = if let name { number(of: name) } else { UInt8(0) }
        numbers[Int(slot)] = number
        if number == Self.other { others[slot] = name }
    }

    private mutating func number(of name: String) -> UInt8 {
        if let index = names.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) { return UInt8(index + 1) }
        guard names.count + 1 < Self.other else { return Self.other }
        names.append(name)
        return UInt8(names.count)
    }
}
