/// A whole configuration: its sources and pipelines as far as they are sound.
public struct RunnerConfig: Sendable {
    /// The sources in the order of the file.
    public internal(set) var sources: [SourceConfig] = []
    /// The pipelines in the order of the file.
    public internal(set) var pipelines: [PipelineConfig] = []
    /// Whether some tiers are not known; nothing is said about what they would use.
    var hasUnknownTiers = false

    /// The version of the format that is read.
    private static let version = 1

    /// The fields of a configuration, with those of `plugins` in its sources.
    package static func declarations(plugins: [SourcePlugin]) -> [FieldDeclaration] {
        [
            FieldDeclaration(
                name: "version", type: .int, documentation: "The version of the file's format.", defaultText: "\(version)",
                bounds: (version...version).bounds),
            FieldDeclaration(
                name: "sources", type: .map(SourceConfig.fieldType(plugins: plugins), atLeast: 1),
                documentation: "The places to load from, each with a name.", isRequired: true),
            FieldDeclaration(
                name: "pipelines", type: .map(PipelineConfig.fieldType, atLeast: 1),
                documentation: "The values there are, each with a name and the sources to ask for it.", isRequired: true),
        ]
    }

    private static let fields = declarations(plugins: []).map(\.name)

    /// Reads the document `node`; what is wrong is reported to `decoder`.
    static func decode(_ node: ConfigNode?, plugins: [SourcePlugin], with decoder: FieldDecoder) -> RunnerConfig {
        guard let node, !node.isNull else {
            decoder.report(
                .missingField, "the configuration is empty: it needs `sources` and `pipelines`", range: .beginning,
                help: "`pipe-run init` writes a starter file")
            return RunnerConfig(hasUnknownTiers: true)
        }
        return decoder.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping with `sources` and `pipelines`, found \(node.kind)", at: node,
                    help: "begin with `sources:`; `pipe-run init` writes a starter file")
                return RunnerConfig(hasUnknownTiers: true)
            }
            let misspelt = reportUnknown(members, with: decoder)
            checkVersion(members, with: decoder)
            var config = RunnerConfig()
            config.sources = section("sources", of: members, misspelt: misspelt, with: decoder) {
                SourceConfig.decode($0, plugins: plugins, with: decoder)
            }.compactMap(\.self)
            var pipelines: [PipelineConfig] = []
            let isRead = section("pipelines", of: members, misspelt: misspelt, with: decoder) { member in
                guard let pipeline = PipelineConfig.decode(member, with: decoder) else { return false }
                pipelines.append(pipeline)
                return pipeline.hasAllTiers
            }
            config.hasUnknownTiers = isRead.isEmpty || isRead.contains(false)
            config.pipelines = pipelines
            return config
        }
    }

    /// Reports unknown fields, and gives those that were most likely meant.
    private static func reportUnknown(_ members: [ConfigNode.Member], with decoder: FieldDecoder) -> Set<String> {
        var misspelt: Set<String> = []
        let misspellings = decoder.misspellings(of: members, known: fields)
        for member in members where !fields.contains(member.key) {
            let misspelling = misspellings[member.keyRange]
            decoder.report(
                .unknownField, "unknown field `\(member.key.shortened)` in the configuration", at: decoder.place(ofKeyOf: member),
                help: misspelling?.help(among: fields, noun: "fields"), fix: misspelling?.fix)
            if let nearest = misspelling?.nearest.name { misspelt.insert(nearest) }
        }
        return misspelt
    }

    private static func checkVersion(_ members: [ConfigNode.Member], with decoder: FieldDecoder) {
        guard let member = members.last(where: { $0.key == "version" }) else { return }
        decoder.fieldName = "version"
        decoder.withValue(of: member) { node in
            guard let version = Int.decode(node, with: decoder), version != Self.version else { return }
            decoder.report(
                .notAllowed, "\(decoder.quoted(node)) is not allowed for `version`: this program reads version \(Self.version)", at: node,
                help: "write `version: \(Self.version)`")
        }
    }

    private static func help(forSection name: String) -> String {
        "write the first below it, as `NAME: \(name == "sources" ? "{ type: TYPE }" : "{ tiers: [SOURCE] }")`"
    }

    /// What `decode` makes of the members of a section; an empty section is as good as a missing one.
    private static func section<Value>(
        _ name: String, of members: [ConfigNode.Member], misspelt: Set<String>, with decoder: FieldDecoder,
        decode: (ConfigNode.Member) -> Value
    ) -> [Value] {
        guard let member = members.last(where: { $0.key == name }) else {
            if !misspelt.contains(name) {
                decoder.report(
                    .missingField, "the configuration needs `\(name)`", range: .beginning,
                    help: "add `\(name):` with at least one name below it; `pipe-run init` writes a starter file")
            }
            return []
        }
        return decoder.withValue(of: member) { node in
            switch node.content {
            case .mapping(let members) where !members.isEmpty: return members.map(decode)
            case .mapping:
                decoder.report(.outOfRange, "`\(name)` is empty: expected at least one", at: node, help: help(forSection: name))
            default:
                decoder.report(
                    node.isNull ? .missingField : .wrongType,
                    node.isNull
                        ? "`\(name)` is empty: expected at least one" : "expected a mapping of names for `\(name)`, found \(node.kind)",
                    range: node.isNull ? member.keyRange : node.range, help: help(forSection: name))
            }
            return []
        }
    }
}
