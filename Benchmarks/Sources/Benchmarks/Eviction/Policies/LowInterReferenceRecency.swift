/// LIRS (Jiang and Zhang, SIGMETRICS 2002), in the paper's names: a hundredth for HIR blocks, and as many that are gone in the stack as twice the capacity.
struct LowInterReferenceRecency: CachePolicy {
    private let capacity: Int
    private let lirSize: Int
    private var stack = KeyQueue()
    /// The resident HIR blocks.
    private var queue = KeyQueue()
    /// The HIR blocks in the stack that are not resident.
    private var gone = KeyQueue()
    private var lir: Set<Int> = []

    init(capacity: Int) {
        self.capacity = capacity
        lirSize = max(1, capacity - max(1, capacity / 100))
    }

    mutating func request(_ key: Int) -> Bool {
        if lir.contains(key) {
            stack.append(key)
            prune()
            return true
        }
        let isHit = queue.contains(key)
        if !isHit {
            if lir.count + queue.count >= capacity { evict() }
            gone.remove(key)
        }
        if stack.contains(key) || lir.count < lirSize {
            promote(key)
        } else {
            stack.append(key)
            queue.append(key)
        }
        return isHit
    }

    private mutating func promote(_ key: Int) {
        queue.remove(key)
        stack.append(key)
        lir.insert(key)
        guard lir.count > lirSize else { return }
        prune()
        if let bottom = stack.popFirst() {
            lir.remove(bottom)
            queue.append(bottom)
            prune()
        }
    }

    private mutating func evict() {
        guard let victim = queue.popFirst(), stack.contains(victim) else { return }
        gone.append(victim)
        if gone.count > 2 * capacity, let oldest = gone.popFirst() {
            stack.remove(oldest)
            prune()
        }
    }

    /// Has the stack end with a LIR block.
    private mutating func prune() {
        while let bottom = stack.first, !lir.contains(bottom) {
            stack.popFirst()
            gone.remove(bottom)
        }
    }
}
