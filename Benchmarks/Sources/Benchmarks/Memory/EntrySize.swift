import CAllocations
import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesMemory

/// What an entry of the memory tier takes above its key and its payload, by what the heap has in use before and after.
enum EntrySize {
    private static let count = 100_000
    private static let payloadSize = 100

    @concurrent
    static func rows() async throws -> [Row] {
        [row("memory tier: bytes an entry, above key and payload", try await bytesOfEntry { $0 })]
            + [row("… where the origin also gave an etag and a content type", try await bytesOfEntry(Self.describing), isBudgeted: false)]
    }

    private static func row(_ name: String, _ bytes: Double, isBudgeted: Bool = true) -> Row {
        Row(name, figure: "\(bytes.text(1)) B", budget: isBudgeted ? "≤ 120 B" : "", isMet: isBudgeted ? bytes <= 120 : nil)
    }

    private static func describing(_ entry: Entry) -> Entry {
        Entry(entry.payload ?? [], created: entry.created, etag: "\"1234\"", contentType: "application/json")
    }

    /// Fills the tier as a pipeline does: by fetches that its origin answers.
    private static func bytesOfEntry(_ change: @escaping @Sendable (Entry) -> Entry) async throws -> Double {
        let text = """
            sources:
              memory: { type: memory, max_entries: \(count) }
              api: { type: made }
            pipelines:
              friends:
                format: bytes
                parameters: [user]
                tiers: [{ source: memory, ttl: 1h }, api]
            """
        let plugin = SourcePlugin(origin: "made", summary: "Makes a payload for each key.") { _ in
            MadeOrigin(size: payloadSize, change: change)
        }
        let report = ConfigFile(text: Array(text.utf8), name: "benchmark").report(plugins: [.memory, plugin])
        let pipeline = try Pipelines(report).pipeline(named: "friends")
        let keys = try (0..<count).map { try pipeline.key(["user": "\($0)"]) }
        let before = heap_bytes_in_use()
        for key in keys { _ = try await pipeline.fetch(key) }
        let after = heap_bytes_in_use()
        // Nothing of it may be freed before it was measured.
        withExtendedLifetime((pipeline, keys)) {}
        return (Double(after) - Double(before)) / Double(count) - Double(payloadSize)
    }
}
