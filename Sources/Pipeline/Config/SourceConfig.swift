/// One source as the file declares it. An object, since every pipeline that uses the source refers to it.
public final class SourceConfig: Sendable {
    /// Its name.
    public let name: String
    /// Where it is named.
    public let range: TextRange
    /// The same, with the merges on the way.
    let place: ConfigPlace
    /// The name of its plugin; nil when it has none that is known.
    public let type: String?
    /// What it can do; nil when its plugin is not known.
    public let capabilities: Capabilities?
    /// The parameters that its templates name.
    let parameterUses: [FieldDecoder.ParameterUse]
    /// Whether its plugin declares templates at all; a source without any may use the whole key.
    let declaresTemplates: Bool
    /// Makes the source; nil when its fields are not sound.
    let making: SourcePlugin.Making?

    /// Whether it is a cache; nil when its plugin is not known.
    public var isWritable: Bool? { capabilities?.contains(.writes) }

    private init(
        name: String, range: TextRange, place: ConfigPlace, type: String?, capabilities: Capabilities?,
        parameterUses: [FieldDecoder.ParameterUse], declaresTemplates: Bool, making: SourcePlugin.Making?
    ) {
        self.name = name
        self.range = range
        self.place = place
        self.type = type
        self.capabilities = capabilities
        self.parameterUses = parameterUses
        self.declaresTemplates = declaresTemplates
        self.making = making
    }

    static func decode(_ member: ConfigNode.Member, plugins: [SourcePlugin], with decoder: FieldDecoder) -> SourceConfig? {
        let place = decoder.place(ofKeyOf: member)
        return decoder.withValue(of: member) { node in
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping for the source `\(member.key.shortened)`, found \(node.kind)",
                    range: node.isNull ? member.keyRange : node.range, help: "write `\(member.key.shortened): { type: … }`")
                return SourceConfig(unknown: member, at: place)
            }
            guard let plugin = plugin(of: member, members, plugins: plugins, with: decoder) else {
                return SourceConfig(unknown: member, at: place)
            }
            decoder.withdrawn = []
            _ = decoder.takeParameterUses()
            let owner = FieldOwner("source", named: member.key, range: member.keyRange)
            let making = plugin.decode(members, of: owner, with: decoder)
            return SourceConfig(
                name: member.key, range: member.keyRange, place: place, type: plugin.name,
                capabilities: plugin.capabilities.subtracting(decoder.withdrawn), parameterUses: decoder.takeParameterUses(),
                declaresTemplates: plugin.declarations.contains { $0.type.holdsTemplates }, making: making)
        }
    }

    private static func plugin(
        of member: ConfigNode.Member, _ members: [ConfigNode.Member], plugins: [SourcePlugin], with decoder: FieldDecoder
    ) -> SourcePlugin? {
        let names = plugins.map(\.name)
        guard let type = members.last(where: { $0.key == "type" }) else {
            if let misspelt = members.first(where: { NearestName.find($0.key, among: ["type"]) != nil }) {
                decoder.report(
                    .unknownField, "unknown field `\(misspelt.key.shortened)` in source `\(member.key.shortened)`",
                    at: decoder.place(ofKeyOf: misspelt), help: "did you mean `type`?")
                return nil
            }
            decoder.report(
                .missingField, "source `\(member.key.shortened)` needs `type`", range: member.keyRange,
                help: "add `type:` with one of \(names.map { "`\($0)`" }.joined(separator: ", "))")
            return nil
        }
        decoder.fieldName = "type"
        return decoder.withValue(of: type) { node in
            guard let name = decoder.text(of: node, expecting: "the name of a source type") else { return nil }
            if let plugin = plugins.first(where: { $0.name == name }) { return plugin }
            decoder.report(
                .unknownSourceType, "unknown source type \(decoder.quoted(node))", at: node,
                help: NearestName.help(for: name, among: names, noun: "types"))
            return nil
        }
    }
}

extension SourceConfig {
    /// A source that is named and cannot be made: what refers to it is still checked.
    private convenience init(unknown member: ConfigNode.Member, at place: ConfigPlace) {
        self.init(
            name: member.key, range: member.keyRange, place: place, type: nil, capabilities: nil, parameterUses: [],
            declaresTemplates: false,
            making: nil)
    }
}

extension FieldType {
    fileprivate var holdsTemplates: Bool {
        switch self {
        case .url, .path, .template, .secret: true
        case .list(let element): element.holdsTemplates
        case .map(let value): value.holdsTemplates
        case .object(let fields): fields.contains { $0.type.holdsTemplates }
        case .either(let types): types.contains { $0.holdsTemplates }
        default: false
        }
    }
}
