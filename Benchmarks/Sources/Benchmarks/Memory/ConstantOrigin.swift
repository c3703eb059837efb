import Pipeline

/// An origin that always has the same payload.
struct ConstantOrigin: Source {
    let payload: [UInt8]

    func read(_ key: Key) async throws -> Entry? {
        Entry(payload, created: PipelineClock.system.now)
    }

    /// A plugin `constant` of such origins.
    static func plugin(_ payload: [UInt8]) -> SourcePlugin {
        SourcePlugin("constant", summary: "Always has the same payload.") { _ in ConstantOrigin(payload: payload) }
    }
}
