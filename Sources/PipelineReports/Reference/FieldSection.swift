internal import Pipeline
internal import PipelineConfig

/// A mapping of the file, and the fields that stand in it: `pipelines.tiers.retry`.
struct FieldSection {
    /// Where it stands, without the names that the user chooses.
    let path: [String]
    /// What it is, in a sentence; empty for the file itself.
    let summary: String
    let fields: [FieldDeclaration]
    /// What it can do, for a source.
    var capabilities: [String] = []
    /// Fields of which exactly one is given.
    var alternatives: [String] = []

    var name: String { path.joined(separator: ".") }

    /// Every mapping of a file, with the sources of `plugins`; each before those that stand in it.
    static func all(_ plugins: [SourcePlugin]) -> [FieldSection] {
        let file = FieldSection(path: [], summary: "", fields: RunnerConfig.declarations(plugins: plugins))
        return [file]
            + file.inner.map { section in
                guard section.path.count == 2, section.path[0] == "sources",
                    let plugin = plugins.first(where: { $0.name == section.path[1] })
                else { return section }
                var section = section
                section.capabilities = plugin.capabilities.names
                return section
            }
    }

    private var inner: [FieldSection] {
        fields.flatMap { field in
            field.type.mappings.flatMap { mapping in
                let section = FieldSection(
                    path: path + [field.name] + (mapping.variant.map { [$0.name] } ?? []),
                    summary: mapping.variant?.documentation ?? field.documentation, fields: mapping.fields,
                    alternatives: mapping.oneOf)
                return [section] + section.inner
            }
        }
    }
}

extension FieldType {
    /// The mappings with fields of their own that a value of the type can be, or can hold.
    fileprivate var mappings: [(variant: FieldVariant?, fields: [FieldDeclaration], oneOf: [String])] {
        switch self {
        case .object(let fields, let oneOf): [(nil, fields, oneOf)]
        case .variants(_, let variants): variants.map { ($0, $0.declarations, $0.alternatives) }
        case .list(let element, _): element.mappings
        case .map(let value, _, _): value.mappings
        case .either(let types): types.flatMap(\.mappings)
        default: []
        }
    }
}
