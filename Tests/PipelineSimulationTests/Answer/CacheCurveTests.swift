@testable import PipelineSimulation
import Pipeline
import Testing

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
}
