/// The value of a key that no change is merged into: what the load gave that began last.
struct PlainValue: Sendable {
    /// The value; nil while there is none. A `not_found` is an entry, too.
    private(set) var entry: Entry?
    /// Counts the changes of the value.
    private(set) var revision: UInt64 = 0
    private var landed: UInt64 = 0

    /// An origin gave `entry` to the load of this number. False when a load that began later has landed, or the value was replaced meanwhile.
    mutating func land(_ entry: Entry, number: UInt64) -> Bool {
        guard number > landed else { return false }
        landed = number
        set(entry)
        return true
    }

    /// The value comes from elsewhere. Loads up to `number` land nowhere any more.
    mutating func replace(_ entry: Entry?, after number: UInt64) {
        landed = max(landed, number)
        set(entry)
    }

    /// What a cache holds.
    mutating func adopt(_ entry: Entry) { set(entry) }

    private mutating func set(_ new: Entry?) {
        let isSame = entry.map { old in new.map { old.isNotFound == $0.isNotFound && old.payload == $0.payload } ?? false } ?? (new == nil)
        if !isSame { revision += 1 }
        entry = new
    }
}
