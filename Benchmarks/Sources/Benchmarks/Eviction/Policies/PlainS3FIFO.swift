/// S3-FIFO as its paper and libCacheSim have it (Yang and others, SOSP 2023): a small queue of a tenth, two uses to leave it.
struct PlainS3FIFO: CachePolicy {
    private let capacity: Int
    private let share: Int
    private var small = KeyQueue()
    private var main = KeyQueue()
    private var ghosts = KeyQueue()
    private var uses: [Int: Int] = [:]
    private var hasEvicted = false

    init(capacity: Int) {
        self.capacity = capacity
        share = max(1, capacity / 10)
    }

    mutating func request(_ key: Int) -> Bool {
        if let known = uses[key] {
            uses[key] = min(3, known + 1)
            return true
        }
        let isGhost = ghosts.remove(key)
        while uses.count >= capacity { evict() }
        if isGhost || !hasEvicted && small.count >= share { main.append(key) } else { small.append(key) }
        uses[key] = 0
        return false
    }

    private mutating func evict() {
        hasEvicted = true
        if small.count >= share || main.isEmpty, let key = small.popFirst() {
            if uses[key, default: 0] > 1 {
                uses[key] = 0
                main.append(key)
            } else {
                uses[key] = nil
                ghosts.append(key)
                if ghosts.count > capacity - share { ghosts.popFirst() }
            }
        } else if let key = main.popFirst() {
            if let known = uses[key], known > 0 {
                uses[key] = known - 1
                main.append(key)
            } else {
                uses[key] = nil
            }
        }
    }
}
