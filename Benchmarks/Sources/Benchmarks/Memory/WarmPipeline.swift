import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesMemory

/// A pipeline with every policy on, whose keys are all in its memory tier.
struct WarmPipeline {
    let pipeline: DataPipeline
    let keys: [Key]

    private static let text = """
        sources:
          memory: { type: memory, max_entries: 1000000 }
          api: { type: constant }
        pipelines:
          friends:
            parameters: [user]
            tiers: [{ source: memory, ttl: 1h, jitter: 10% }, api]
            stale_while_revalidate: 1m
            stale_if_error: 1h
            refresh_ahead: 0.8
            deadline: 5s
            not_found_ttl: 10s
        """

    init(keys count: Int) async throws {
        let payload = Array(#"[{"id":1,"name":"Ada"}]"#.utf8)
        let report = ConfigFile(text: Array(Self.text.utf8), name: "benchmark")
            .report(plugins: [.memory, ConstantOrigin.plugin(payload)])
        let pipeline = try Pipelines(report).pipeline(named: "friends")
        keys = try (0..<count).map { try pipeline.key(["user": "\($0)"]) }
        for key in keys { _ = try await pipeline.fetch(key) }
        self.pipeline = pipeline
    }

    /// Fetches `count` times, one key after the other.
    func fetch(_ count: Int) async throws {
        for number in 0..<count { use(try await pipeline.fetch(keys[number % keys.count])) }
    }
}

extension WarmPipeline {
    private init(_ pipeline: DataPipeline, _ keys: [Key]) {
        self.pipeline = pipeline
        self.keys = keys
    }

    /// The same pipeline with a part of the keys.
    func part(_ range: Range<Int>) -> WarmPipeline { WarmPipeline(pipeline, Array(keys[range])) }
}
