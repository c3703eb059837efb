import Pipeline
import PipelineTesting
import SourcesMemory
import TestSupport
import Testing

@Suite struct MemoryBoundsTests {
    let now = Timestamp(nanoseconds: 1_767_225_600_000_000_000)

    func key(_ number: Int) -> Key { Key(pipeline: "friends", parameters: ["user": "\(number)"]) }

    func entry(bytes: Int = 1) -> Entry { Entry(Array(repeating: 7, count: bytes), created: now) }

    func cost(bytes: Int, of number: Int) -> Int { MemorySource.cost(of: entry(bytes: bytes), for: key(number)) }

    @Test func `EV-02 a source of 0 entries keeps none`() async throws {
        let memory = MemorySource(maxEntries: 0)

        await #expect { try await memory.write(entry(), for: key(1)) } throws: { isNotKept($0, because: "max_entries is 0") }

        #expect(memory.peek(key(1)) == nil)
        #expect((memory.count, memory.byteCount) == (0, 0))
    }

    @Test func `a source of 0 bytes keeps none`() async throws {
        let memory = MemorySource(maxEntries: 10, maxBytes: Size(bytes: 0))

        await #expect { try await memory.write(entry(bytes: 0), for: key(1)) } throws: {
            isNotKept($0, because: "larger than max_bytes (0)")
        }

        #expect(memory.count == 0)
    }

    @Test(arguments: [1, 2, 3, 10, 100, 4_095, 4_096, 10_000]) func `as many entries as allowed are kept, and not one more`(
        _ limit: Int
    ) async throws {
        let memory = MemorySource(maxEntries: limit)

        for number in 0..<limit { try await memory.write(entry(), for: key(number)) }
        #expect(memory.count == limit)
        #expect((0..<limit).allSatisfy { memory.peek(key($0)) != nil })

        for number in limit..<limit + 50 {
            try await memory.write(entry(), for: key(number))
            #expect(memory.count == limit)
            #expect(memory.peek(key(number)) != nil, "what was just written is there")
        }
        #expect(memory.keys.count == limit)
    }

    @Test(arguments: [10_000, 100]) func `the byte bound is exact`(maxEntries: Int) async throws {
        let each = cost(bytes: 1_000, of: 10)
        let fitting = MemorySource(maxEntries: maxEntries, maxBytes: Size(bytes: each * 4))
        let tooSmall = MemorySource(maxEntries: maxEntries, maxBytes: Size(bytes: each * 4 - 1))

        for number in 10..<14 {
            try await fitting.write(entry(bytes: 1_000), for: key(number))
            try await tooSmall.write(entry(bytes: 1_000), for: key(number))
        }

        #expect((fitting.count, fitting.byteCount) == (4, each * 4))
        #expect((tooSmall.count, tooSmall.byteCount) == (3, each * 3))
    }

    @Test func `EV-02 replacing keeps the total right`() async throws {
        let memory = MemorySource(maxEntries: 10, maxBytes: Size(bytes: 100_000))

        for bytes in [10, 5_000, 0, 300] {
            try await memory.write(entry(bytes: bytes), for: key(1))
            #expect(memory.byteCount == cost(bytes: bytes, of: 1))
        }
        try await memory.write(.notFound(created: now), for: key(1))
        #expect(memory.byteCount == cost(bytes: 0, of: 1))
        try await memory.remove(key(1))
        #expect((memory.count, memory.byteCount) == (0, 0))
    }

    @Test func `an entry that grows makes room among the others, not for itself`() async throws {
        let memory = MemorySource(maxEntries: 10, maxBytes: Size(bytes: cost(bytes: 1_000, of: 1) * 3))
        for number in 1...3 { try await memory.write(entry(bytes: 1_000), for: key(number)) }

        try await memory.write(entry(bytes: 1_500), for: key(1))

        #expect(memory.peek(key(1))?.payload?.count == 1_500)
        #expect(memory.count == 2)
        #expect(memory.byteCount == cost(bytes: 1_500, of: 1) + cost(bytes: 1_000, of: 3))
    }

    @Test(arguments: [100, 10_000]) func `an entry larger than the bound is not kept, nor an older copy of its key`(
        maxEntries: Int
    ) async throws {
        let limit = 20 << 20
        let memory = MemorySource(maxEntries: maxEntries, maxBytes: Size(bytes: limit))
        try await memory.write(entry(bytes: 10), for: key(1))
        try await memory.write(entry(bytes: 10), for: key(2))

        await #expect { try await memory.write(entry(bytes: limit), for: key(1)) } throws: {
            isNotKept($0, because: "larger than max_bytes (20MiB)")
        }

        #expect(memory.peek(key(1)) == nil)
        #expect(memory.peek(key(2)) != nil, "the others stay")
        #expect(memory.byteCount == cost(bytes: 10, of: 2))
    }

    @Test(arguments: [100, 10_000]) func `an entry as large as the bound is kept, alone`(maxEntries: Int) async throws {
        let key = key(0)
        let largest = (20 << 20) - cost(bytes: 0, of: 0)
        let memory = MemorySource(maxEntries: maxEntries, maxBytes: Size(bytes: 20 << 20))
        for number in 1...50 { try await memory.write(entry(bytes: 10), for: self.key(number)) }

        try await memory.write(entry(bytes: largest), for: key)

        #expect(memory.keys == [key])
        #expect(memory.byteCount == 20 << 20)
    }

    @Test(arguments: [100, 5_000]) func `EV-02 lowering a limit trims now`(maxEntries: Int) async throws {
        let memory = MemorySource(maxEntries: maxEntries)
        for number in 0..<maxEntries { try await memory.write(entry(bytes: 50), for: key(number)) }

        memory.setBounds(maxEntries: 10, maxBytes: nil)
        #expect(memory.count == 10)
        #expect(memory.keys.count == 10)

        memory.setBounds(maxEntries: 10, maxBytes: Size(bytes: memory.byteCount - 1))
        #expect(memory.count == 9)

        memory.setBounds(maxEntries: 0, maxBytes: nil)
        #expect((memory.count, memory.byteCount) == (0, 0))
    }

    @Test func `metadata counts`() {
        let plain = Entry([1], created: now)
        let tagged = Entry([1], created: now, etag: "\"abc\"", source: "api")

        // An object of a header and four strings, and what these hold; a short name of the origin takes no room of its own.
        #expect(MemorySource.cost(of: tagged, for: key(1)) - MemorySource.cost(of: plain, for: key(1)) == 16 + 64 + 5)
        // What the origin says is another object, of a header, the directives and two strings.
        let bound = Entry([1], created: now, etag: "\"abc\"", source: "api", cacheControl: CacheControl(), variant: "accept 0")
        let more = MemoryLayout<CacheControl?>.stride + 16 + 32 + 8
        #expect(MemorySource.cost(of: bound, for: key(1)) - MemorySource.cost(of: tagged, for: key(1)) == more)
        #expect(MemorySource.cost(of: plain, for: key(1)) == 1 + "friends,user=1".utf8.count + MemorySource.bookkeeping)
    }

    @Test func `any sequence of writes, removals and clears keeps the totals equal to what is held`() async throws {
        var random = SplitMix64(seed: 42)
        let memory = MemorySource(maxEntries: 50, maxBytes: Size(bytes: 20_000))

        for _ in 0..<20_000 {
            let key = Key(pipeline: ["a", "b"][random.below(2)], parameters: ["user": "\(random.below(120))"])
            switch random.below(100) {
            case 0: try await memory.clear(pipeline: key.pipeline)
            case 1..<10: try await memory.remove(key)
            case 10..<50: _ = memory.peek(key)
            default:
                let entry = entry(bytes: random.below(random.below(100) == 0 ? 25_000 : 800))
                do {
                    try await memory.write(entry, for: key)
                    #expect(memory.peek(key) != nil)
                } catch let error as SourceError where error.kind == .notKept {
                    #expect(memory.peek(key) == nil && MemorySource.cost(of: entry, for: key) > 20_000)
                }
            }
            #expect(memory.count <= 50 && memory.byteCount <= 20_000)
        }

        let held = memory.keys
        let bytes = held.compactMap { key in memory.peek(key).map { MemorySource.cost(of: $0, for: key) } }
        #expect(Set(held).count == held.count)
        #expect((memory.count, memory.byteCount) == (held.count, bytes.reduce(0, +)))
    }
}
