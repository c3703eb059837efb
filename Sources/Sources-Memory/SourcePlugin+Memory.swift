internal import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// The plugin `memory`: entries live in this process and are gone with it.
    public static let memory = SourcePlugin(
        "memory", summary: "Keeps entries in memory until the process ends.",
        capabilities: [.writes, .keepsMetadata, .keepsNotFound, .listsKeys, .answersAtOnce],
        fields: Field("max_entries", default: 10_000, range: 0..., "The most entries to keep; 0 keeps none.").role(.bound),
        Field("max_bytes", default: Size?.none, "The most bytes to keep, keys and bookkeeping included.", example: "64MiB")
            .role(.bound)
    ) { context, maxEntries, maxBytes in
        MemorySource(maxEntries: maxEntries, maxBytes: maxBytes, seed: context.random.next(), evicted: context.evicted)
    }
}
