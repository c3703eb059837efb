internal import Pipeline

/// Sources of a file that stand in examples.
struct SampleSources {
    /// The first cache, and the first origin.
    let cache: String?
    let origin: String?
    /// All origins.
    let names: Set<ExactName>

    init(_ sources: [SourceConfig]) {
        let origins = sources.filter { $0.isWritable != true && $0.tellsOfChanges != true }.map(\.name)
        cache = sources.first { $0.isWritable == true }?.name
        origin = origins.first
        names = Set(origins.map(ExactName.init))
    }
}
