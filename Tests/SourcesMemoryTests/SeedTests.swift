import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline
@testable import SourcesMemory

/// What a seed decides is the same in every process. The hashes come from the reference implementation, the sum from a run.
@Suite struct SeedTests {
    private func key(_ number: Int) -> Key { Key(pipeline: "friends", parameters: ["user": "\(number)"]) }

    /// A sum over the keys that went, in their order.
    private func evictions(seed: UInt64?) async throws -> UInt64 {
        let sum = Mutex(UInt64(0))
        let source = MemorySource(maxEntries: 4_096, seed: seed) { key in
            sum.withLock { $0 = ($0 ^ KeyHash.hash(of: key.text)).scrambled }
        }
        for number in 0..<10_000 {
            try await source.write(Entry([1], created: .distantPast), for: key(number))
        }
        return sum.withLock(\.self)
    }

    @Test func `the hash of a key is SipHash-1-3 of its text`() {
        // From the reference implementation, with the key 0.
        #expect(Key(pipeline: "friends").hash == KeyHash.hash(of: "friends"))
        for (text, hash) in Self.vectors { #expect(KeyHash.hash(of: text) == hash, "\(text)") }
    }

    @Test func `which entries go follows from the seed alone`() async throws {
        let (seven, again, eight) = (try await evictions(seed: 7), try await evictions(seed: 7), try await evictions(seed: 8))

        #expect(seven == Self.seven)
        #expect(again == Self.seven)
        #expect(eight != Self.seven)
    }

    @Test func `without a seed it is not the same twice`() async throws {
        var seen: Set<UInt64> = []
        for _ in 0..<4 { seen.insert(try await evictions(seed: nil)) }

        #expect(seen.count > 1)
    }

    @Test(arguments: [UInt64(0), 1, .max, 7, 1 << 63]) func `every seed spreads keys over all shards`(seed: UInt64) async throws {
        let source = MemorySource(maxEntries: 100_000, seed: seed)
        for number in 0..<16_000 { try await source.write(Entry([1], created: .distantPast), for: key(number)) }

        #expect(source.shardCounts.allSatisfy { (800...1_200).contains($0) }, "\(source.shardCounts)")
    }

    private static let seven: UInt64 = 0xEC02_30CE_C696_7F61

    private static let vectors: [(String, UInt64)] = [
        ("", 0xD1FB_A762_150C_532C), ("f", 0x2D17_2054_4B23_B823), ("friends", 0x6240_1B14_A796_E8F2),
        ("friends,", 0x5E2F_2548_974E_7AE9), ("friends,user=42", 0x3375_C71C_F54B_86A5),
        ("a somewhat longer text than the others", 0x0C3D_8F5E_16EE_17FD),
    ]
}
