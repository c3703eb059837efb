/// SIEVE (Zhang and others, NSDI 2024): one queue, and a hand that lets the first unused key go and stays where it is.
struct Sieve: CachePolicy {
    private let capacity: Int
    private var keys = KeyQueue()
    private var used: Set<Int> = []
    private var hand: Int?

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func request(_ key: Int) -> Bool {
        if keys.contains(key) {
            used.insert(key)
            return true
        }
        if keys.count == capacity { evict() }
        keys.append(key)
        return false
    }

    private mutating func evict() {
        var position = hand ?? keys.first
        while let key = position, used.remove(key) != nil { position = keys.next(of: key) ?? keys.first }
        guard let victim = position else { return }
        hand = keys.next(of: victim)
        keys.remove(victim)
    }
}
