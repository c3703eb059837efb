import CAllocations
import Foundation
import Pipeline

/// A fetch that the memory tier answers, beside the bare lookup of the same keys.
enum MemoryHits {
    private static let keys = 1_000
    private static let count = 100_000

    @concurrent
    static func rows() async throws -> [Row] {
        let warm = try await WarmPipeline(keys: keys)
        let names = warm.keys.map(\.text)
        let bare = BareDictionary()
        for (key, name) in zip(warm.keys, names) { bare[name] = try await warm.pipeline.fetch(key).entry }
        let hits = try await Comparison.of(rounds: 41) {
            try await warm.fetch(count)
        } floor: {
            for number in 0..<count { use(bare[names[number % keys]]) }
        }
        let users = warm.keys.map { $0["user"] ?? "" }
        let byArguments = try await Comparison.of(rounds: 41) {
            for number in 0..<count { use(try await warm.pipeline.fetch(["user": users[number % keys]])) }
        } floor: {
            for number in 0..<count { use(bare[names[number % keys]]) }
        }
        return [
            Row("fetch answered by memory, every policy on; floor: `Mutex<[String: Entry]>` lookup", hits, count: count, atMost: 2),
            Row("… by its arguments, `fetch([\"user\": \"42\"])`", byArguments, count: count, atMost: 4),
            try await allocations(warm), try await switches(warm), try await objectCache(names, bare),
        ]
    }

    private static func allocations(_ warm: WarmPipeline) async throws -> Row {
        let before = heap_allocation_count()
        try await warm.fetch(count)
        let each = Double(heap_allocation_count() - before) / Double(count)
        return Row("… heap allocations of one fetch", figure: each.text(3), budget: "0", isMet: each < 0.001)
    }

    private static func switches(_ warm: WarmPipeline) async throws -> Row {
        let executor = CountingExecutor()
        let each = try await withTaskExecutorPreference(executor) {
            let before = executor.count
            try await warm.fetch(count)
            return Double(executor.count - before) / Double(count)
        }
        return Row("… task switches of one fetch", figure: each.text(3), budget: "0", isMet: each < 0.001)
    }

    private static func objectCache(_ names: [String], _ bare: BareDictionary) async throws -> Row {
        let cache = ObjectCache()
        let objects = names.map { NSString(string: $0) }
        for (name, object) in zip(names, objects) { cache[object] = bare[name] }
        let comparison = try await Comparison.of(rounds: 21) {
            for number in 0..<count { use(cache[objects[number % keys]]) }
        } floor: {
            for number in 0..<count { use(bare[names[number % keys]]) }
        }
        return Row("for comparison: Foundation's `NSCache`", comparison, count: count)
    }
}
