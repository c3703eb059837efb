/// Remembers by their hashes which entries left unused, the latest ones.
///
/// A hash ages with each insertion, as in section 4.2 of the S3-FIFO paper; nothing is moved. It has two sets of four cells and takes the
/// oldest of the eight (Azar and others, "Balanced allocations", STOC 1994). With one set, a loop that has more hashes than cells there would
/// always replace the hash that comes back next, and find none of them.
struct GhostQueue {
    struct Cell {
        var tag: UInt16
        var tick: UInt16
    }

    private static let ways = 4

    private var cells: ContiguousArray<Cell> = []
    private var insertions = 0

    /// Large caches count several insertions as one tick, so that ticks wrap around long after the window.
    private var insertionsPerTick: Int { 1 + cells.count >> 13 }

    private var tick: UInt16 { UInt16(truncatingIfNeeded: insertions / insertionsPerTick) }

    /// Remembers `hash` for `window` insertions. A window for which there is no room yet starts empty: the tags are too short to move them.
    mutating func insert(_ hash: UInt32, window: Int) {
        if cells.count < 2 * window { makeRoom(for: window) }
        guard !cells.isEmpty else { return }
        insertions += 1
        var chosen = position(0, of: hash)
        for choice in 0..<2 * Self.ways {
            let position = position(choice, of: hash)
            if cells[position].tag == Self.tag(of: hash) {
                chosen = position
                break
            }
            if age(of: position) > age(of: chosen) { chosen = position }
        }
        cells[chosen] = Cell(tag: Self.tag(of: hash), tick: tick)
    }

    /// Forgets `hash`; true when it was among the last `window` insertions. One in thousands is forgotten before.
    mutating func remove(_ hash: UInt32, window: Int) -> Bool {
        guard !cells.isEmpty else { return false }
        for choice in 0..<2 * Self.ways {
            let position = position(choice, of: hash)
            guard cells[position].tag == Self.tag(of: hash), age(of: position) < window else { continue }
            cells[position].tick = Self.longAgo(tick)
            return true
        }
        return false
    }

    private func age(of position: Int) -> Int { Int(tick &- cells[position].tick) * insertionsPerTick }

    private static func tag(of hash: UInt32) -> UInt16 { UInt16(truncatingIfNeeded: hash) }

    private static func longAgo(_ tick: UInt16) -> UInt16 { tick &- (1 << 15) }

    /// The cell that a hash may have as its `choice`.
    private func position(_ choice: Int, of hash: UInt32) -> Int {
        let mixed = choice < Self.ways ? hash : hash &* 0x9E37_79B9
        let sets = UInt64(cells.count / Self.ways)
        return Int((UInt64(mixed) * sets) >> 32) * Self.ways + choice % Self.ways
    }

    private mutating func makeRoom(for window: Int) {
        let sets = (2 * window + window / 4) / Self.ways + 1
        cells = ContiguousArray(repeating: Cell(tag: 0, tick: Self.longAgo(tick)), count: sets * Self.ways)
    }
}
