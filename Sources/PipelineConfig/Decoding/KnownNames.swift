internal import Pipeline

/// What the file declares, and what can be declared, for what is said of a problem.
struct KnownNames {
    /// The types of sources.
    var types: [SourceType] = []
    /// The sources that were read, by their names.
    var sources: [String] = []
    /// Those that stand in examples.
    private(set) lazy var samples = makeSamples()
    /// Makes ``samples``, which only a problem asks for.
    var makeSamples: () -> SampleSources = { SampleSources() }
    /// Whether the section of the sources is there under a mistyped name: what it declares is not known then.
    var lacksSources = false
    /// The section that declares the pipelines, for what is said of them before they are read.
    var pipelinesSection: ConfigNode?
    /// The section that declares the sends.
    var sendsSection: ConfigNode?
    /// The names of the parameters of all pipelines and sends. Looked up only where a problem asks for them.
    private(set) lazy var parameters = Self.parameters(in: pipelinesSection).union(Self.parameters(in: sendsSection))

    /// The names of the parameters that the pipelines or sends of `section` declare.
    static func parameters(in section: ConfigNode?) -> Set<String> {
        var names: Set<String> = []
        for owner in section?.members ?? [] {
            guard let parameters = owner.value.member("parameters") else { continue }
            names.formUnion(parameters.members.map(\.key))
            if case .sequence(let elements) = parameters.content {
                names.formUnion(elements.compactMap(\.target.scalarText).filter(Identifier.isValid))
            }
        }
        return names
    }
}

/// A type of sources, by its name and those of its fields.
struct SourceType {
    let name: String
    let fields: [String]
}

/// Sources of a file that stand in examples.
struct SampleSources {
    /// The first cache, and the first origin; nil if there is none.
    var cache: String?
    var origin: String?
    /// All origins.
    var names: Set<ExactName> = []
}
