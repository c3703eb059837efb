import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesMemory

/// A pipeline whose only key no cache has.
struct ColdPipeline {
    let origin: GatedOrigin
    private let pipeline: DataPipeline
    private let key: Key

    private static let text = """
        sources:
          memory: { type: memory }
          api: { type: gated }
        pipelines:
          friends:
            tiers: [{ source: memory, ttl: 1h }, api]
        """

    /// - Parameter fetches: the origin answers when so many have begun.
    init(awaiting fetches: Int) throws {
        let origin = GatedOrigin(awaiting: fetches)
        let plugin = SourcePlugin(origin: "gated", summary: "Answers when told to.") { _ in origin }
        let report = ConfigFile(text: Array(Self.text.utf8), name: "benchmark").report(plugins: [.memory, plugin])
        self.origin = origin
        pipeline = try Pipelines(report).pipeline(named: "friends")
        key = try pipeline.key()
    }

    /// Fetches the key `count` times at once.
    func fetch(_ count: Int) async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<count {
                group.addTask { [self] in
                    origin.noteFetch()
                    use(try await pipeline.fetch(key))
                }
            }
            try await group.waitForAll()
        }
    }
}
