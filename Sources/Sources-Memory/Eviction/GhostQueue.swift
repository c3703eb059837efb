/// Remembers by their hashes which entries left unused, the latest ones.
///
/// A hash ages with each insertion, as in section 4.2 of the S3-FIFO paper; nothing is moved. It has two sets of four cells and takes the
/// oldest of the eight (Azar and others, "Balanced allocations", STOC 1994). With one set, a loop that has more hashes than cells there would
/// always replace the hash that comes back next, and find none of them.
struct GhostQueue {
    struct Ghost {
        /// Insertions since its own.
        var age: Int
        /// Indicates whether the entry had been in the main queue.
        var wasInMain: Bool
    }

    struct Cell {
        /// The lowest 15 bits of the hash, and whether the entry had been in the main queue.
        var tag: UInt16
        var tick: UInt16
    }

    private static let ways = 4

    private var cells: ContiguousArray<Cell> = []
    private var insertions = 0

    /// Large caches count several insertions as one tick, so that ticks wrap around long after the window.
    private var insertionsPerTick: Int { 1 + cells.count >> 13 }

    /// The time, which several insertions may share.
    var tick: UInt16 { UInt16(truncatingIfNeeded: insertions / insertionsPerTick) }

    /// The insertions since `tick`, as exact as ticks are.
    func age(since tick: UInt16) -> Int { Int(self.tick &- tick) * insertionsPerTick }

    /// Remembers `hash` for `window` insertions. A window for which there is no room yet starts empty: the tags are too short to move them.
    mutating func insert(_ hash: UInt32, wasInMain: Bool = false, window: Int) {
        if cells.count < window + window / 3 { makeRoom(for: window) }
        guard !cells.isEmpty else { return }
        insertions += 1
        let tag = Self.tag(of: hash)
        var chosen = position(0, of: hash)
        for choice in 0..<2 * Self.ways {
            let position = position(choice, of: hash)
            if cells[position].tag >> 1 == tag {
                chosen = position
                break
            }
            if age(since: cells[position].tick) > age(since: cells[chosen].tick) { chosen = position }
        }
        cells[chosen] = Cell(tag: tag << 1 | (wasInMain ? 1 : 0), tick: tick)
    }

    /// Forgets `hash`, and returns what was remembered; nil if that was `window` insertions ago or more. One in hundreds is forgotten
    /// before.
    mutating func remove(_ hash: UInt32, window: Int) -> Ghost? {
        guard !cells.isEmpty else { return nil }
        for choice in 0..<2 * Self.ways {
            let position = position(choice, of: hash)
            let cell = cells[position]
            let age = age(since: cell.tick)
            guard cell.tag >> 1 == Self.tag(of: hash), age < window else { continue }
            cells[position].tick = Self.longAgo(tick)
            return Ghost(age: age, wasInMain: cell.tag & 1 == 1)
        }
        return nil
    }

    private static func tag(of hash: UInt32) -> UInt16 { UInt16(truncatingIfNeeded: hash & 0x7FFF) }

    private static func longAgo(_ tick: UInt16) -> UInt16 { tick &- (1 << 15) }

    /// The cell that a hash may have as its `choice`.
    private func position(_ choice: Int, of hash: UInt32) -> Int {
        let mixed = choice < Self.ways ? hash : hash &* 0x9E37_79B9
        let sets = UInt64(cells.count / Self.ways)
        return Int((UInt64(mixed) * sets) >> 32) * Self.ways + choice % Self.ways
    }

    private mutating func makeRoom(for window: Int) {
        let sets = (window + window / 2) / Self.ways + 1
        cells = ContiguousArray(repeating: Cell(tag: 0, tick: Self.longAgo(tick)), count: sets * Self.ways)
    }
}
