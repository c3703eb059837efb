import Pipeline
import PipelineTesting
import SourcesMemory
import Testing

@Suite struct ScanResistanceTests {
    let now = Timestamp(nanoseconds: 0)

    func key(_ name: String, _ number: Int) -> Key { Key(pipeline: name, parameters: ["id": "\(number)"]) }

    /// What a fetch does to the memory tier; whether it was a hit.
    func fetch(_ key: Key, from memory: MemorySource) async throws -> Bool {
        if memory.peek(key) != nil { return true }
        try await memory.write(Entry([1], created: now), for: key)
        return false
    }

    @Test(arguments: [100, 1_000, 8_000]) func `a hot set survives a long scan, where the least recently used would go`(
        capacity: Int
    ) async throws {
        let memory = MemorySource(maxEntries: capacity)
        var recency = LeastRecentlyUsed(capacity: capacity)
        let hot = (0..<capacity / 2).map { key("hot", $0) }
        for _ in 0..<3 {
            for key in hot {
                _ = try await fetch(key, from: memory)
                _ = recency.fetch(key)
            }
        }

        for number in 0..<capacity * 10 {
            _ = try await fetch(key("scan", number), from: memory)
            _ = recency.fetch(key("scan", number))
        }

        #expect(hot.filter { memory.peek($0) != nil }.count == hot.count)
        let recent = hot.filter { recency.fetch($0) }
        #expect(recent.isEmpty)
        #expect(memory.count == capacity)
    }

    @Test func `a skewed load with scans in between hits more often than the least recently used would`() async throws {
        let memory = MemorySource(maxEntries: 500)
        var recency = LeastRecentlyUsed(capacity: 500)
        var random = SplitMix64(seed: 7)
        var hits = (memory: 0, recency: 0)

        for round in 0..<60_000 {
            // Squared, so that low numbers are asked for often; every fourth fetch belongs to a scan.
            let unit = Double(random.next() >> 11) / Double(1 << 53)
            let key = round % 4 == 0 ? key("scan", round) : key("item", Int(unit * unit * unit * 3_000))
            if try await fetch(key, from: memory) { hits.memory += 1 }
            if recency.fetch(key) { hits.recency += 1 }
        }

        #expect(hits.memory > hits.recency, "\(hits)")
    }

    @Test func `an entry that was used stays before one that was not`() async throws {
        let memory = MemorySource(maxEntries: 2)
        _ = try await fetch(key("a", 1), from: memory)
        _ = try await fetch(key("b", 1), from: memory)
        _ = memory.peek(key("a", 1))

        _ = try await fetch(key("c", 1), from: memory)

        #expect(Set(memory.keys) == [key("a", 1), key("c", 1)])
    }

    @Test(arguments: [110, 150, 190])
    func `a loop that is longer than the cache is answered in part, where the least recently used never would`(
        length: Int
    ) async throws {
        let memory = MemorySource(maxEntries: 100, seed: 1)
        var recency = LeastRecentlyUsed(capacity: 100)
        var hits = (memory: 0, recency: 0)

        for round in 0..<40 {
            for number in 0..<length {
                let isHit = try await fetch(key("item", number), from: memory)
                if recency.fetch(key("item", number)) { hits.recency += 1 }
                if round >= 20, isHit { hits.memory += 1 }
            }
        }

        // Who knows the future keeps 99 of them.
        #expect(hits.memory >= 20 * 90, "\(hits)")
        #expect(hits.recency == 0)
    }

    @Test func `what is asked for again soon is kept, although it is not asked for a third time`() async throws {
        let memory = MemorySource(maxEntries: 200, seed: 1)
        var hits = 0

        for round in 0..<20_000 {
            _ = try await fetch(key("item", round), from: memory)
            // Later than the small queue holds it at first.
            if round >= 20, try await fetch(key("item", round - 20), from: memory) { hits += 1 }
        }

        #expect(hits > 15_000, "\(hits)")
    }

    // Seeds with which a ghost queue that has one set for each hash loses up to half of the new hot set.
    @Test(arguments: [UInt64(0), 91, 226, 294, 725, 1_321, 1_599, 1_643, 1_980]) func `a hot set that grew cold makes room for a new one`(
        seed: UInt64
    ) async throws {
        let memory = MemorySource(maxEntries: 100, seed: seed)
        for _ in 0..<5 { for number in 0..<90 { _ = try await fetch(key("old", number), from: memory) } }

        for _ in 0..<20 { for number in 0..<90 { _ = try await fetch(key("new", number), from: memory) } }

        #expect((0..<90).filter { memory.peek(key("new", $0)) != nil }.count >= 85)
    }
}

/// What S3-FIFO is compared with.
private struct LeastRecentlyUsed {
    let capacity: Int
    var lastUse: [Key: Int] = [:]
    var order: [(use: Int, key: Key)] = []
    var oldest = 0
    var uses = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func fetch(_ key: Key) -> Bool {
        uses += 1
        let isHit = lastUse[key] != nil
        lastUse[key] = uses
        order.append((uses, key))
        while lastUse.count > capacity {
            let (use, candidate) = order[oldest]
            oldest += 1
            if lastUse[candidate] == use { lastUse[candidate] = nil }
        }
        return isHit
    }
}
