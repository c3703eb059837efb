/// Hashes of entries that were let go unused, the latest few: a table of four-way sets whose cells carry the time at which they
/// were filled, counted in insertions (the paper's section 4.2). A hash ages out by the count alone; nothing is moved.
struct GhostQueue {
    struct Cell {
        var hash: UInt32
        var time: UInt32
    }

    private static let ways = 4

    private var cells: ContiguousArray<Cell> = []
    // Far from zero, the time of empty cells, so that those look old.
    private var time: UInt32 = 1 << 31

    /// Remembers `hash` for as many insertions as `window` says when it is asked for.
    mutating func insert(_ hash: UInt32, window: Int) {
        if cells.count < window { grow(to: window) }
        guard !cells.isEmpty else { return }
        time &+= 1
        place(Cell(hash: hash, time: time))
    }

    /// Forgets `hash`; true when it was among the last `window` insertions. A set that overflows forgets its oldest before.
    mutating func remove(_ hash: UInt32, window: Int) -> Bool {
        guard !cells.isEmpty else { return false }
        for position in set(of: hash) where cells[position].hash == hash && age(of: cells[position]) < window {
            cells[position].time = time &- (1 << 31)
            return true
        }
        return false
    }

    private func age(of cell: Cell) -> UInt32 { time &- cell.time }

    private func set(of hash: UInt32) -> Range<Int> {
        let sets = UInt64(cells.count / Self.ways)
        let first = Int((UInt64(hash) * sets) >> 32) * Self.ways
        return first..<first + Self.ways
    }

    private mutating func place(_ cell: Cell) {
        var oldest = -1
        for position in set(of: cell.hash) {
            if cells[position].hash == cell.hash { return cells[position] = cell }
            if oldest < 0 || age(of: cells[position]) > age(of: cells[oldest]) { oldest = position }
        }
        cells[oldest] = cell
    }

    private mutating func grow(to window: Int) {
        let old = cells
        let sets = (window + window / 8) / Self.ways + 1
        cells = ContiguousArray(repeating: Cell(hash: 0, time: time &- (1 << 31)), count: sets * Self.ways)
        for cell in old { place(cell) }
    }
}
