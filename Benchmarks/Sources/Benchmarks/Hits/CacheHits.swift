import Pipeline
import PipelineConfig
import PipelineYAML

/// Fetches that one cache answers, beside the least that the same bytes cost.
enum CacheHits {
    static let sizes = [100, 4_096, 65_536]

    /// A pipeline of one cache over an origin, whose value the cache holds already.
    ///
    /// - Parameter source: the cache's fields, as they stand in a flow mapping.
    static func pipeline(over source: String, _ plugin: SourcePlugin, size: Int) async throws -> DataPipeline {
        let text = """
            sources:
              cache: { \(source) }
              api: { type: constant }
            pipelines:
              friends:
                format: bytes
                tiers: [{ source: cache, ttl: 1h }, api]
            """
        let payload = [UInt8](repeating: UInt8(ascii: "1"), count: size)
        let report = ConfigFile(text: Array(text.utf8), name: "benchmark").report(plugins: [plugin, ConstantOrigin.plugin(payload)])
        let pipeline = try Pipelines(report).pipeline(named: "friends")
        // The first fetch writes, and ends when it is written.
        try await pipeline.fetch(pipeline.key()).waitForWrites()
        return pipeline
    }

    /// A row for the pipeline, and one for its cache alone.
    ///
    /// - Parameters:
    ///   - name: what answers, and what the floor is.
    ///   - count: so often it is read in a round.
    ///   - floor: reads the same bytes as often as it is told to.
    static func rows(
        _ name: String, _ pipeline: DataPipeline, _ source: some Source, count: Int, rounds: Int, atMost budget: Double,
        aloneAtMost budgetAlone: Double? = nil, floor: (Int) async throws -> Void
    ) async throws -> [Row] {
        let key = try pipeline.key()
        let fetches = try await Comparison.of(rounds: rounds) {
            for _ in 0..<count { use(try await pipeline.fetch(key)) }
        } floor: {
            try await floor(count)
        }
        let reads = try await Comparison.of(rounds: rounds) {
            // As a fetch asks it: on the calling thread where it answers there.
            if source.style == .onThread {
                for _ in 0..<count { use(try source.peek(key)) }
            } else {
                for _ in 0..<count { use(try await source.read(key, ReadContext())) }
            }
        } floor: {
            try await floor(count)
        }
        return [
            Row("fetch answered by \(name)", fetches, count: count, atMost: budget),
            Row("… the source alone", reads, count: count, atMost: budgetAlone),
        ]
    }
}
