/// The keys whose operation may begin, in that order.
struct ReadyKeys {
    private var keys: [Key] = []
    private var first = 0

    var isEmpty: Bool { first == keys.count }
    var next: Key? { isEmpty ? nil : keys[first] }

    mutating func append(_ key: Key) {
        keys.append(key)
    }

    mutating func removeFirst() {
        first += 1
        guard first == keys.count || first > 1024 && first > keys.count / 2 else { return }
        keys.removeFirst(first)
        first = 0
        // After a peak: an array keeps its capacity.
        if keys.isEmpty, keys.capacity > 1024 { keys = [] }
    }

    mutating func removeAll() -> [Key] {
        defer { self = ReadyKeys() }
        return Array(keys[first...])
    }
}
