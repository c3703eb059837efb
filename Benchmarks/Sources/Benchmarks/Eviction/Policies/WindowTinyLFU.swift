/// W-TinyLFU (Einziger and others, ACM Transactions on Storage 13, 2017): a window of a hundredth, a segmented LRU behind it, and a sketch of how
/// often keys were requested that decides between the two.
struct WindowTinyLFU: CachePolicy {
    private static let rows = 4

    private let windowSize: Int
    private let protectedSize: Int
    private let mainSize: Int
    private var window = KeyQueue()
    private var probation = KeyQueue()
    private var protected = KeyQueue()
    private var counters: [UInt8]
    private var additions = 0
    private let sampleSize: Int

    init(capacity: Int) {
        windowSize = max(1, capacity / 100)
        mainSize = capacity - windowSize
        protectedSize = mainSize * 4 / 5
        sampleSize = 10 * capacity
        var width = 1
        while width < 4 * capacity { width *= 2 }
        counters = Array(repeating: 0, count: width * Self.rows)
    }

    mutating func request(_ key: Int) -> Bool {
        count(key)
        if window.contains(key) {
            window.append(key)
        } else if protected.contains(key) {
            protected.append(key)
        } else if probation.remove(key) {
            protected.append(key)
            if protected.count > protectedSize, let demoted = protected.popFirst() { probation.append(demoted) }
        } else {
            window.append(key)
            if window.count > windowSize, let candidate = window.popFirst() { admit(candidate) }
            return false
        }
        return true
    }

    private mutating func admit(_ candidate: Int) {
        if probation.count + protected.count >= mainSize {
            guard let victim = probation.first ?? protected.first, estimate(candidate) > estimate(victim) else { return }
            if !probation.remove(victim) { protected.remove(victim) }
        }
        probation.append(candidate)
    }

    private func positions(_ key: Int) -> [Int] {
        let width = counters.count / Self.rows
        return (0..<Self.rows).map { row in
            var generator = SeededGenerator(seed: UInt64(truncatingIfNeeded: key) &+ UInt64(row) << 40)
            return row * width + Int(truncatingIfNeeded: generator.next()) & (width - 1)
        }
    }

    private func estimate(_ key: Int) -> UInt8 { positions(key).map { counters[$0] }.min() ?? 0 }

    private mutating func count(_ key: Int) {
        for position in positions(key) { counters[position] = min(15, counters[position] + 1) }
        additions += 1
        guard additions >= sampleSize else { return }
        additions /= 2
        for position in counters.indices { counters[position] /= 2 }
    }
}
