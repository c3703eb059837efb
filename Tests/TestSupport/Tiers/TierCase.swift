import Pipeline
package import PipelineTesting
import Testing

/// What holds for a pipeline over any cache in the middle: a case that each kind of cache is held to.
package struct TierCase: Sendable, CustomTestStringConvertible {
    /// Its number and what holds.
    package let name: String
    private let pipeline: String
    private let patience: Duration?
    private let body: @Sendable (TierScene) async throws -> Void

    /// - Parameters:
    ///   - pipeline: what stands below the pipeline's name.
    ///   - patience: how long a change waits for a cache that another process holds; nil where none does.
    init(
        _ name: String, _ pipeline: String = "tiers: [memory, disk, network]", patience: Duration? = nil,
        body: @escaping @Sendable (TierScene) async throws -> Void
    ) {
        self.name = name
        self.pipeline = pipeline
        self.patience = patience
        self.body = body
    }

    /// What a report of the test calls it.
    package var testDescription: String { name }

    /// Plays it over the cache that `makeCache` gives for a clock and a patience.
    package func play(over makeCache: (ManualClock, _ patience: Duration?) throws -> any MiddleCache) async throws {
        let time = ManualClock()
        let scene = try TierScene(pipeline, over: makeCache(time, patience), time: time)
        do {
            try await body(scene)
        } catch {
            await scene.pipelines.shutDown()
            throw error
        }
        await scene.pipelines.shutDown()
    }
}
