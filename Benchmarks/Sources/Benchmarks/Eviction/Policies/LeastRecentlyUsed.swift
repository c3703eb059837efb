/// Lets the key go that was not requested the longest.
struct LeastRecentlyUsed: CachePolicy {
    private let capacity: Int
    private var keys = KeyQueue()

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func request(_ key: Int) -> Bool {
        let isHit = keys.contains(key)
        if !isHit, keys.count == capacity { keys.popFirst() }
        keys.append(key)
        return isHit
    }
}
