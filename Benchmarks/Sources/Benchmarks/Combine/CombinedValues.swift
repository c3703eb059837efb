import Pipeline
import PipelineComposing
import PipelineJSON
import SourcesMemory

/// Values that are made from others which memory has, and a composite that no cache has.
enum CombinedValues {
    private static let (elements, authors) = (10_000, 1_000)
    private static let (parts, count) = (5, 1_000)

    @concurrent
    static func rows() async throws -> [Row] {
        [try await followed(), try await composite(), try await calls()]
    }

    /// Links of a list, to targets of which many occur again and again.
    private static func followed() async throws -> Row {
        let list =
            "["
            + (0..<elements).map {
                "{\"id\":\($0),\"author_id\":\($0 * 7_919 % authors),\"text\":\"post number \($0), which says little\"}"
            }
            .joined(separator: ",") + "]"
        let bytes = Array(list.utf8)
        let link = LinkSpec("author", at: try JSONPath("$[*].author_id"), pipeline: "user")
        let pipelines = try Pipelines([
            warm("user", parameters: ["id"], Array(#"{"name":"Ada"}"#.utf8)), warm("feed", bytes, links: [link]),
        ])
        let pipeline = try pipelines.pipeline(named: "feed")
        let key = try pipeline.key()
        let comparison = try await Comparison.of(rounds: 21) {
            use(try await pipeline.fetch(key, following: ["author"]))
        } floor: {
            use(JSONScanner.problem(of: bytes))
            use(bytes.withUnsafeBytes { Array($0) })
        }
        return Row(
            "a list of 10,000 elements with 1,000 distinct references, followed, all in memory; floor: one pass of the scanner, and a copy",
            comparison, atMost: 3)
    }

    /// A whole of parts that memory has.
    private static func composite() async throws -> Row {
        let names = (0..<parts).map { "part\($0)" }
        let whole = PipelineSpec(
            "home", combine: CompositeSpec(.object(names.map { ($0, PartSpec($0)) })))
        let pipelines = try Pipelines(names.map { warm($0, Array(#"[{"id":1,"name":"Ada"}]"#.utf8)) } + [whole])
        let (home, part) = (try pipelines.pipeline(named: "home"), try pipelines.pipeline(named: names[0]))
        let (homeKey, partKey) = (try home.key(), try part.key())
        let comparison = try await Comparison.of(rounds: 41) {
            for _ in 0..<count { use(try await home.fetch(homeKey)) }
        } floor: {
            for _ in 0..<count { use(try await part.fetch(partKey)) }
        }
        return Row("a composite of 5 parts in memory; floor: one fetch answered by memory", comparison, count: count, atMost: 6)
    }

    /// Fetches of one whole that no cache has, all at once.
    private static func calls() async throws -> Row {
        var most = 0
        for _ in 0..<5 {
            let origins = (0..<parts).map { _ in GatedOrigin(awaiting: count) }
            let names = origins.indices.map { "part\($0)" }
            // The last task may begin its fetch when the origins have answered the others: it finds the values in memory.
            let specs = zip(names, origins).map { name, origin in
                PipelineSpec(
                    name,
                    tiers: [
                        TierSpec(SourceSpec("memory_\(name)", MemorySource()), ttl: .seconds(3_600)), TierSpec(SourceSpec(name, origin)),
                    ])
            }
            let whole = PipelineSpec(
                "home", combine: CompositeSpec(.object(names.map { ($0, PartSpec($0)) })))
            let home = try Pipelines(specs + [whole]).pipeline(named: "home")
            try await withThrowingTaskGroup { group in
                for _ in 0..<count {
                    group.addTask {
                        for origin in origins { origin.noteFetch() }
                        use(try await home.fetch())
                    }
                }
                try await group.waitForAll()
            }
            most = max(most, origins.map(\.calls).max() ?? 0)
        }
        return Row(
            "calls of a part's origin by 1,000 concurrent fetches of a cold composite, the most of any round", figure: "\(most)",
            budget: "1", isMet: most == 1)
    }

    /// A pipeline whose values memory has from the first fetch on.
    private static func warm(
        _ name: String, parameters: [ParameterSpec] = [], _ payload: [UInt8], links: [LinkSpec] = []
    ) -> PipelineSpec {
        PipelineSpec(
            name, parameters: parameters,
            tiers: [
                TierSpec(SourceSpec("memory_\(name)", MemorySource()), ttl: .seconds(3_600)),
                TierSpec(SourceSpec(name, ConstantOrigin(payload: payload))),
            ], links: links)
    }
}
