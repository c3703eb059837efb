internal import Pipeline

/// What the file declares, and what can be declared, for what is said of a problem.
struct KnownNames {
    /// The types of sources.
    var plugins: [SourcePlugin] = []
    /// The sources that were read.
    var sources: [SourceConfig] = []
    /// Those that stand in examples.
    private(set) lazy var samples = SampleSources(sources)
    /// Whether the section of the sources is there under a mistyped name: what it declares is not known then.
    var lacksSources = false
    /// The section that declares the pipelines, for what is said of them before they are read.
    var pipelinesSection: ConfigNode?
    /// The names of the parameters of all pipelines. Looked up only where a problem asks for them.
    private(set) lazy var parameters = PlainWords.parameters(in: pipelinesSection)
}

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
