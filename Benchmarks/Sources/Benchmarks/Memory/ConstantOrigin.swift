import Pipeline
import PipelineConfig

/// An origin that always has the same payload.
struct ConstantOrigin: Source {
    let payload: [UInt8]

    func read(_ key: Key) async throws -> Entry? {
        // An array of its own, as real answers have: threads that count the references of one array wait for each other.
        Entry(payload.map { $0 }, created: PipelineClock.system.now)
    }

    /// A plugin `constant` of such origins.
    static func plugin(_ payload: [UInt8]) -> SourcePlugin {
        SourcePlugin("constant", summary: "Always has the same payload.") { _ in ConstantOrigin(payload: payload) }
    }
}
