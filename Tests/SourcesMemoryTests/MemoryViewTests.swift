import Pipeline
import Testing

@testable import SourcesMemory

@Suite struct MemoryViewTests {
    private let now = Timestamp(nanoseconds: 0)
    private let key = Key(pipeline: "p", parameters: ["id": "1"])
    private let other = Key(pipeline: "p", parameters: ["id": "2"])

    /// A source in which a thread that reads has its view.
    private func quietSource(maxEntries: Int = 64) async throws -> MemorySource {
        let memory = MemorySource(maxEntries: maxEntries)
        try await memory.write(Entry([1], created: now), for: key)
        try await memory.write(Entry([2], created: now), for: other)
        for _ in 0..<200 { #expect(memory.peek(key)?.payload == [1]) }
        return memory
    }

    @Test func `a view is given after many hits that change nothing, and taken back by the next change`() {
        let view = MemoryView()
        var store = MemoryStore()
        let budget = MemoryBudget(maxEntries: 10, maxBytes: nil)
        let hash = UInt32(truncatingIfNeeded: key.hash)
        var evicted: [Key] = []
        _ = store.write(Entry([1], created: now), for: key, hash: hash, cost: 1, budget: budget, evicted: &evicted)
        var isKnown = true
        let take = { (slot: borrowing MemoryStore.Slot, source: String?) in slot.entry(from: source) }
        _ = view.look(hash: hash, isKnown: &isKnown, { $0 == key }, take)
        #expect(!isKnown)

        view.give(store)
        #expect(view.look(hash: hash, isKnown: &isKnown, { $0 == key }, take) == nil)
        #expect(!isKnown, "a use that counts is for the shard")

        for _ in 0..<3 { _ = store.copy(hash: hash, { $0 == key }, take) }
        view.give(store)
        #expect(view.look(hash: hash, isKnown: &isKnown, { $0 == key }, take)?.payload == [1])
        #expect(isKnown)
        #expect(view.look(hash: UInt32(truncatingIfNeeded: other.hash), isKnown: &isKnown, { $0 == other }, take) == nil)
        #expect(isKnown, "what the store has not, it has not")

        view.takeBack()
        _ = view.look(hash: hash, isKnown: &isKnown, { $0 == key }, take)
        #expect(!isKnown)
    }

    @Test(arguments: [64, 5_000]) func `after a write, a removal and a clear no reader sees what was before`(maxEntries: Int) async throws {
        let memory = try await quietSource(maxEntries: maxEntries)

        try await memory.write(Entry([9], created: now), for: key)
        for _ in 0..<200 { #expect(memory.peek(key)?.payload == [9]) }
        try await memory.remove(key)
        for _ in 0..<200 { #expect(memory.peek(key) == nil) }
        for _ in 0..<200 { #expect(memory.peek(other)?.payload == [2]) }
        try await memory.clear(pipeline: "p")
        for _ in 0..<200 { #expect(memory.peek(other) == nil) }
    }

    @Test func `what has to go to keep within the bounds is seen no more`() async throws {
        let memory = try await quietSource()

        memory.setBounds(maxEntries: 0, maxBytes: nil)

        #expect(memory.peek(key) == nil)
        #expect(memory.count == 0)
    }

    @Test func `a thread that has read before sees what another one wrote as soon as the write has returned`() async throws {
        let memory = try await quietSource()
        try await withThrowingTaskGroup { group in
            // One writes ever higher numbers and says which; the others never read one that is lower than what was said before.
            let written = Said()
            for _ in 0..<3 {
                group.addTask { [key] in
                    while written.value < 200 {
                        let least = written.value
                        let lowest = (0..<100).map { _ in number(memory.peek(key)) }.min() ?? 0
                        #expect(lowest >= least)
                        // There may be fewer threads than tasks here.
                        await Task.yield()
                    }
                }
            }
            group.addTask { [key, now] in
                for next in 1...200 {
                    try await memory.write(Entry(bytes(next), created: now), for: key)
                    written.value = next
                    let isRead = (0..<80).allSatisfy { _ in number(memory.peek(key)) == next }
                    #expect(isRead)
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `uses that count are counted however often the key was read before`() async throws {
        let memory = MemorySource(maxEntries: 20)
        for number in 0..<20 {
            try await memory.write(Entry([1], created: now), for: Key(pipeline: "p", parameters: ["id": "\(number)"]))
        }
        for _ in 0..<300 { _ = memory.peek(other) }

        // As many new ones as it holds: what was used stays.
        for number in 100..<120 {
            try await memory.write(Entry([1], created: now), for: Key(pipeline: "p", parameters: ["id": "\(number)"]))
        }

        #expect(memory.peek(other) != nil)
    }
}

private func bytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

private func number(_ entry: Entry?) -> Int {
    guard let payload = entry?.payload, payload.count == 2 else { return 0 }
    return Int(payload[0]) << 8 | Int(payload[1])
}
