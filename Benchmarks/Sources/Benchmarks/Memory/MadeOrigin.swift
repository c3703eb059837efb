import Pipeline

/// An origin that makes a payload of its own for every key.
struct MadeOrigin: Source {
    let size: Int
    let change: @Sendable (Entry) -> Entry

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        change(Entry([UInt8](repeating: UInt8(truncatingIfNeeded: key.text.utf8.count), count: size), created: PipelineClock.system.now))
    }
}
