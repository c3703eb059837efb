import Pipeline
import PipelineTesting
import SourcesMemory
import Testing

@Suite struct MemoryConcurrencyTests {
    let now = Timestamp(nanoseconds: 0)

    @Test(arguments: [64, 5_000]) func `threads that read, write, remove and clear leave the totals right`(maxEntries: Int) async throws {
        let memory = MemorySource(maxEntries: maxEntries, maxBytes: .mebibytes(20))
        await withThrowingTaskGroup { group in
            for worker in UInt64(0)..<8 {
                group.addTask { [now] in
                    var random = SplitMix64(seed: worker)
                    for _ in 0..<4_000 {
                        let number = random.below(maxEntries * 2)
                        let key = Key(pipeline: "p\(number % 3)", parameters: ["id": "\(number)"])
                        switch random.below(200) {
                        case 0: try await memory.clear(pipeline: key.pipeline)
                        case 1..<20: try await memory.remove(key)
                        case 20..<100:
                            if let payload = memory.peek(key)?.payload {
                                #expect(payload.allSatisfy { $0 == UInt8(truncatingIfNeeded: number) })
                            }
                        default:
                            let payload = Array(repeating: UInt8(truncatingIfNeeded: number), count: random.below(64))
                            try await memory.write(Entry(payload, created: now), for: key)
                        }
                    }
                }
            }
        }

        let held = memory.keys
        let bytes = held.compactMap { key in memory.peek(key).map { MemorySource.cost(of: $0, for: key) } }
        #expect(memory.count <= maxEntries)
        #expect((memory.count, memory.byteCount) == (held.count, bytes.reduce(0, +)))
    }

    @Test func `threads that fill a source at the same time do not fill it over its bounds`() async throws {
        let memory = MemorySource(maxEntries: 4_096)

        try await withThrowingTaskGroup { group in
            for worker in 0..<8 {
                group.addTask { [now] in
                    for number in 0..<2_000 {
                        let key = Key(pipeline: "p", parameters: ["id": "\(worker)-\(number)"])
                        try await memory.write(Entry([1], created: now), for: key)
                    }
                }
            }
            try await group.waitForAll()
        }

        #expect(memory.count <= 4_096)
        #expect(memory.count > 4_096 - 8)
    }
}
