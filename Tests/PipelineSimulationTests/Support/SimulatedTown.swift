import Pipeline
import PipelineConfig
@testable import PipelineSimulation
import PipelineYAML
import SourcesMemory
import Testing

/// Configurations for simulations: memory, a cache that takes its time, and origins.
enum SimulatedTown {
    private struct Nothing: Source {
        func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }
    }

    private struct Shelf: WritableSource {
        func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }
        func write(_ entry: Entry, for key: Key) async throws {}
        func remove(_ key: Key) async throws {}
        func clear(pipeline: String) async throws {}
    }

    static let plugins: [SourcePlugin] = [
        .memory,
        SourcePlugin(cache: "shelf", summary: "", capabilities: [.keepsMetadata, .keepsNotFound]) { _ in Shelf() },
        SourcePlugin(origin: "service", summary: "", capabilities: [.neverMisses, .limitsFreshness]) { _ in Nothing() },
    ]

    static let sources = """
        sources:
          memory: { type: memory, max_entries: 100 }
          disk: { type: shelf }
          api: { type: service }
          mirror: { type: service }

        """

    /// The pipeline `friends` with these tiers and other lines below it.
    static func file(_ tiers: String, _ policies: String = "", sources: String = SimulatedTown.sources) -> ConfigFile {
        let text = sources + "pipelines:\n  friends:\n    parameters: [user]\n    tiers: [\(tiers)]\n" + policies
        return ConfigFile(text: Array(text.utf8), name: "pipeline.yaml")
    }

    static func plan(_ file: ConfigFile) throws -> PipelinePlan {
        let report = file.report(plugins: plugins)
        #expect(report.diagnostics.filter { $0.severity == .error }.map(\.message) == [])
        return try report.plan.pipeline("friends")
    }

    static func model(_ text: String) throws -> SimulationModel {
        let file = ConfigFile(text: Array(text.utf8), name: "pipeline.sim.yaml")
        let (model, diagnostics) = SimulationModel.read(file, known: ["memory", "disk", "api", "mirror"])
        #expect(diagnostics.map(\.message) == [])
        return try #require(model)
    }

    static func pipeline(_ tiers: String, _ policies: String = "", model text: String = "", seed: UInt64 = 1, sources: String = sources)
        throws
        -> SimulatedPipeline
    {
        SimulatedPipeline(
            try plan(file(tiers, policies, sources: sources)), model: text.isEmpty ? SimulationModel() : try model(text), seed: seed)
    }

    /// Requests of keys that are numbers, at times in milliseconds.
    static func trace(_ requests: [(time: Double, key: Int)], size: Int64 = 0) -> Trace {
        let count = (requests.map(\.key).max() ?? -1) + 1
        return Trace(
            keys: (0..<count).map { Key(pipeline: "friends", parameters: ["user": "\($0)"]) },
            requests: requests.map { TraceRequest(time: Int64($0.time * 1e6), key: Int32($0.key), size: size) })
    }

    /// A trace that a seed decides: few keys often, many seldom, with requests at the same moment among them.
    static func trace(seed: UInt64, requests count: Int, keys: Int, every milliseconds: Double) -> Trace {
        var random = RandomGenerator.seeded(seed)
        var time = 0.0
        return trace(
            (0..<count).map { _ in
                if Int.random(in: 0..<4, using: &random) > 0 {
                    time += (Double.random(in: 0...2 * milliseconds, using: &random) * 1_000).rounded() / 1_000
                }
                let part = Double.random(in: 0..<1, using: &random)
                return (time, min(keys - 1, Int(part * part * part * Double(keys))))
            }
        ).beginningAtZero
    }

    /// The answers of both gears to all requests.
    static func answers(_ pipeline: SimulatedPipeline, _ trace: Trace) async throws -> (engine: [Answer?], machine: [Answer?]) {
        let count = trace.requests.count
        let engine = try await EngineRun.play(pipeline, trace, first: count, warmUp: 0, recording: count)
        let machine = try Machine(pipeline, trace: trace, warmUp: 0, recording: count)
        await machine.play(0..<count)
        return (engine.record, machine.record)
    }

    static func counts(_ pipeline: SimulatedPipeline, _ trace: Trace, warmUp: Double = 0) async throws -> VariantCounts {
        try await Simulation(trace, warmUp: warmUp).result(of: Variant("friends", pipeline)).counts
    }
}

extension Trace {
    fileprivate var beginningAtZero: Trace {
        let first = requests.first?.time ?? 0
        return Trace(
            keys: keys,
            requests: requests.map { TraceRequest(time: $0.time - first, key: $0.key, size: $0.size, operation: $0.operation) })
    }
}
