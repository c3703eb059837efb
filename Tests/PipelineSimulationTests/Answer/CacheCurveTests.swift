@testable import PipelineSimulation
import Pipeline
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct CacheCurveTests {
    /// Every key is looked for in a list, the last used one first.
    private func missesOfAList(_ keys: [Int32], size: Int) -> Int {
        var list: [Int32] = []
        var misses = 0
        for key in keys {
            if let index = list.firstIndex(of: key) { list.remove(at: index) } else { misses += 1 }
            list.insert(key, at: 0)
            if list.count > size { list.removeLast() }
        }
        return misses
    }

    /// The best of all ways to keep or to let go, tried one by one.
    private func fewestMisses(_ keys: ArraySlice<Int32>, holding held: Set<Int32> = [], size: Int) -> Int {
        guard let key = keys.first else { return 0 }
        let rest = keys.dropFirst()
        if held.contains(key) { return fewestMisses(rest, holding: held, size: size) }
        let full = held.union([key])
        if full.count <= size { return 1 + fewestMisses(rest, holding: full, size: size) }
        return 1 + (full.map { fewestMisses(rest, holding: full.subtracting([$0]), size: size) }.min() ?? 0)
    }

    private func keys(seed: UInt64, count: Int, of all: Int32) -> [Int32] {
        var random = RandomGenerator.seeded(seed)
        return (0..<count).map { _ in min(.random(in: 0..<all, using: &random), .random(in: 0..<all, using: &random)) }
    }

    @Test
    func `The misses of a cache that keeps what was used last equal those of a list`() {
        let keys = keys(seed: 1, count: 4_000, of: 300)

        let misses = CacheCurve.leastRecentlyUsed(keys, sizes: [1, 2, 10, 100, 299, 300, 1_000])

        #expect(misses == [1, 2, 10, 100, 299, 300, 1_000].map { missesOfAList(keys, size: $0) })
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `No way to keep and to let go misses less than the optimum`(_ seed: UInt64) {
        let keys = keys(seed: seed, count: 14, of: 6)

        for size in 1...3 { #expect(CacheCurve.optimum(keys, size: size) == fewestMisses(keys[...], size: size)) }
    }

    /// The folder that the variable `TRACES` names has `cloudPhysicsIO.oracleGeneral.bin` of libCacheSim.
    private static let published = ProcessInfo.processInfo.environment["TRACES"].map { $0 + "/cloudPhysicsIO.oracleGeneral.bin" }

    @Test(.enabled(if: published != nil))
    func `OS-01 The misses of a public trace are the published ones`() throws {
        let data = try Data(contentsOf: URL(filePath: #require(Self.published)))
        var numbers: [UInt64: Int32] = [:]
        let keys = stride(from: 0, to: data.count - 23, by: 24).map { start -> Int32 in
            let key = (0..<8).reduce(UInt64(0)) { $0 | UInt64(data[start + 4 + $1]) << UInt64(8 * $1) }
            let number = numbers[key] ?? Int32(numbers.count)
            numbers[key] = number
            return number
        }

        let misses = CacheCurve.leastRecentlyUsed(keys, sizes: stride(from: 128, through: 1_024, by: 128).map { $0 })

        #expect(misses == [99_411, 96_397, 95_652, 95_370, 95_182, 94_997, 94_891, 94_816])
        #expect(CacheCurve.optimum(keys, size: 1_024) < misses[7])
    }
}
