/// A whole configuration: its sources and pipelines as far as they are sound.
public struct RunnerConfig: Sendable {
    /// The sources in the order of the file.
    public internal(set) var sources: [SourceConfig] = []
    /// The pipelines in the order of the file.
    public internal(set) var pipelines: [PipelineConfig] = []
    /// Pipelines that are named and not sound; nothing is said about what they would use.
    var hasUnsoundPipelines = false

    private static let fields = ["version", "sources", "pipelines"]

    /// Reads the document `node`; what is wrong is reported to `decoder`.
    static func decode(_ node: ConfigNode?, plugins: [SourcePlugin], with decoder: FieldDecoder) -> RunnerConfig {
        guard let node, !node.isNull else {
            decoder.report(
                .missingField, "the configuration is empty: it needs `sources` and `pipelines`", range: .beginning,
                help: "`pipe-run init` writes a starter file")
            return RunnerConfig(hasUnsoundPipelines: true)
        }
        return decoder.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                decoder.report(.wrongType, "expected a mapping with `sources` and `pipelines`, found \(node.kind)", at: node)
                return RunnerConfig(hasUnsoundPipelines: true)
            }
            reportUnknown(members, with: decoder)
            checkVersion(members, with: decoder)
            var config = RunnerConfig()
            config.sources = section("sources", of: members, with: decoder)
                .compactMap { SourceConfig.decode($0, plugins: plugins, with: decoder) }
            let pipelines = section("pipelines", of: members, with: decoder)
            config.pipelines = pipelines.compactMap { PipelineConfig.decode($0, with: decoder) }
            config.hasUnsoundPipelines = config.pipelines.count < pipelines.count || pipelines.isEmpty
            return config
        }
    }

    private static func reportUnknown(_ members: [ConfigNode.Member], with decoder: FieldDecoder) {
        for member in members where !fields.contains(member.key) {
            decoder.report(
                .unknownField, "unknown field `\(member.key.shortened)` in the configuration", range: member.keyRange,
                help: NearestName.help(for: member.key, among: fields, noun: "fields"))
        }
    }

    private static func checkVersion(_ members: [ConfigNode.Member], with decoder: FieldDecoder) {
        guard let member = members.last(where: { $0.key == "version" }) else { return }
        decoder.fieldName = "version"
        decoder.withValue(of: member) { node in
            guard let version = Int.decode(node, with: decoder), version != 1 else { return }
            decoder.report(
                .notAllowed, "`\(version)` is not allowed for `version`: this program reads version 1", at: node,
                help: "write `version: 1`")
        }
    }

    /// The members of a section; an empty section is as good as a missing one.
    private static func section(
        _ name: String, of members: [ConfigNode.Member], with decoder: FieldDecoder
    ) -> [ConfigNode.Member] {
        guard let member = members.last(where: { $0.key == name }) else {
            decoder.report(.missingField, "the configuration needs `\(name)`", range: .beginning)
            return []
        }
        return decoder.withValue(of: member) { node in
            switch node.content {
            case .mapping(let members) where !members.isEmpty: return members
            case .mapping:
                decoder.report(.outOfRange, "`\(name)` is empty", at: node)
            default:
                decoder.report(
                    node.isNull ? .missingField : .wrongType,
                    node.isNull ? "`\(name)` is empty" : "expected a mapping of names for `\(name)`, found \(node.kind)",
                    range: node.isNull ? member.keyRange : node.range)
            }
            return []
        }
    }
}
