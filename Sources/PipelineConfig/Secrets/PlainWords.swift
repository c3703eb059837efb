/// The words of a configuration that stand in plain view: the names in it, and what is declared that can be written.
enum PlainWords {
    /// What messages show as an example.
    private static let examples: Set<String> = [
        "pipe-run", "init", "name", "value", "default", "source", "sources", "type", "true", "false", "none", "auto", "tiers", "pipelines",
        "parameters", "user", "memory",
    ]

    /// The fields, types and choices of `plugins`, and the names of sources, pipelines and parameters in `document`.
    static func words(of document: ConfigNode?, plugins: [SourcePlugin]) -> Set<String> {
        var words = examples
        for declaration in RunnerConfig.declarations(plugins: plugins) { add(declaration, to: &words) }
        for section in RunnerConfig.sections { add(namesIn: document?.member(section), to: &words) }
        return ["pipelines", "sends"].reduce(words) { $0.union(KnownNames.parameters(in: document?.member($1))) }
    }

    private static func add(namesIn node: ConfigNode?, to words: inout Set<String>) {
        words.formUnion((node?.members ?? []).map(\.key))
    }

    private static func add(_ declaration: FieldDeclaration, to words: inout Set<String>) {
        words.insert(declaration.name)
        add(declaration.type, to: &words)
    }

    private static func add(_ type: FieldType, to words: inout Set<String>) {
        switch type {
        case .choice(let choices): words.formUnion(choices)
        case .list(let element, _), .map(let element, _, _): add(element, to: &words)
        case .object(let fields, _): for field in fields { add(field, to: &words) }
        case .variants(let name, let variants):
            words.insert(name)
            for variant in variants {
                words.insert(variant.name)
                for field in variant.declarations { add(field, to: &words) }
            }
        case .either(let types): for type in types { add(type, to: &words) }
        case .string, .int, .bool, .duration, .size, .ratio, .url, .path, .template, .secret, .query, .word, .nothing, .any: break
        }
    }
}
