internal import Pipeline
import PipelineComposing

/// A configuration: its sources, pipelines and sends as far as they are sound.
public struct RunnerConfig: Sendable {
    /// The sources in the order of the file.
    public internal(set) var sources: [SourceConfig] = []
    /// The pipelines in the order of the file.
    public internal(set) var pipelines: [DeclaredPipeline] = []
    /// The sends in the order of the file.
    package internal(set) var sends: [SendConfig] = []
    /// Whether some tiers are not known; nothing is said about what they would use.
    var hasUnknownTiers = false
    /// Whether some sends are not known; nothing is said about the sources that they would use.
    var hasUnknownSends = false

    /// The version of the format that is read.
    private static let version = 1

    /// A part of a configuration whose members have names.
    private enum Section: String, CaseIterable {
        case sources
        case pipelines
        case sends

        /// Whether it must be there.
        var isRequired: Bool { self != .sends }

        /// The first member that it may have.
        var example: String {
            switch self {
            case .sources: "memory: { type: memory }"
            case .pipelines: "friends: { tiers: [memory] }"
            case .sends: "add_friend: { to: add }"
            }
        }

        /// The field by which a member is declared as such, whatever its name.
        var mark: String {
            switch self {
            case .sources: "type"
            case .pipelines: "tiers"
            case .sends: "to"
            }
        }

        /// The fields of its members.
        func fields(_ known: KnownNames) -> Set<String> {
            switch self {
            case .sources: Set(known.types.flatMap(\.fields) + ["type"])
            case .pipelines: DeclaredPipeline.fieldNames
            case .sends: SendConfig.fieldNames
            }
        }
    }

    /// The parts of a configuration whose members have names.
    static let sections = Section.allCases.map(\.rawValue)

    /// The fields of a configuration, with those of `plugins` in its sources.
    package static func declarations(plugins: [SourcePlugin]) -> [FieldDeclaration] {
        [
            FieldDeclaration(
                name: "version", type: .int, documentation: "The version of the file format.", defaultText: "\(version)",
                bounds: (version...version).bounds),
            FieldDeclaration(
                name: "sources", type: .map(SourceConfig.fieldType(plugins: plugins), keys: nameOfSource, atLeast: 1),
                documentation: "The places to load from, each with a name.", isRequired: true),
            FieldDeclaration(
                name: "pipelines", type: .map(DeclaredPipeline.fieldType, atLeast: 1),
                documentation: "The values to load, each with a name and the sources to ask for it.", isRequired: true),
            FieldDeclaration(
                name: "sends", type: .map(SendConfig.fieldType, atLeast: 1),
                documentation: "The kinds of writes, each with a name and the source that takes it."),
        ]
    }

    private static let nameOfSource = FieldWord(
        "name", matching: #"^(?!\#(CompositeSpec.placeName)$)(?![\s\S]*\$\{)"#)

    private static let fields = declarations(plugins: []).map(\.name)

    /// Reads the document `node`; what is wrong is reported to `decoder`.
    static func decode(_ node: ConfigNode?, plugins: [SourcePlugin], with decoder: FieldDecoder) -> RunnerConfig {
        guard let node, !node.isNull else {
            decoder.report(
                .missingField, "the configuration is empty: it needs `sources` and `pipelines`", range: .beginning,
                help: "`pipe-run init` writes a starter file")
            return RunnerConfig(hasUnknownTiers: true, hasUnknownSends: true)
        }
        return decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping with `sources` and `pipelines`, found \(node.kind)", at: node,
                    help: "begin with `sources:`; `pipe-run init` writes a starter file")
                return RunnerConfig(hasUnknownTiers: true, hasUnknownSends: true)
            }
            let misspelt = reportUnknown(members, with: decoder)
            checkVersion(members, with: decoder)
            decoder.known.types = plugins.map { SourceType(name: $0.name, fields: $0.declarations.map(\.name)) }
            decoder.known.lacksSources = misspelt.contains("sources") && !members.contains { $0.key == "sources" }
            decoder.known.pipelinesSection = members.last { $0.key == "pipelines" }?.value
            decoder.known.sendsSection = members.last { $0.key == "sends" }?.value
            var config = RunnerConfig()
            config.sources = section(.sources, of: members, misspelt: misspelt, with: decoder) {
                SourceConfig.decode($0, plugins: plugins, with: decoder)
            }.compactMap(\.self)
            decoder.known.sources = config.sources.map(\.name)
            decoder.known.makeSamples = { [sources = config.sources] in SampleSources(sources) }
            // Of what a section declares that cannot be read, nothing is known: that is told once.
            let hasSection = members.contains { $0.key == "sources" }
            if config.sources.isEmpty, hasSection || hasSourcesInPipelines(decoder) { decoder.known.lacksSources = true }
            var pipelines: [DeclaredPipeline] = []
            let isRead = section(.pipelines, of: members, misspelt: misspelt, with: decoder) { member in
                guard let pipeline = DeclaredPipeline.decode(member, with: decoder) else { return false }
                pipelines.append(pipeline)
                return pipeline.hasAllTiers && pipeline.hasAllFeeds
            }
            config.hasUnknownTiers = isRead.isEmpty || isRead.contains(false)
            config.pipelines = pipelines
            let sends = section(.sends, of: members, misspelt: misspelt, with: decoder) { SendConfig.decode($0, with: decoder) }
            config.sends = sends.compactMap(\.self)
            config.hasUnknownSends =
                misspelt.contains("sends") || decoder.known.sendsSection != nil && sends.isEmpty
                || config.sends.count < sends.count || !config.sends.allSatisfy(\.isSound)
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
                .unknownField, "unknown field `\(member.key.shortened)` in the configuration", at: decoder.places.place(ofKeyOf: member),
                help: (misspelling?.nearest.name == nil ? FieldAdvice(decoder: decoder).help(for: member, at: .configuration) : nil)
                    ?? misspelling?.help(among: fields, noun: "fields"), fix: misspelling?.fix)
            if let nearest = misspelling?.nearest.name { misspelt.insert(nearest) }
        }
        return misspelt
    }

    private static func checkVersion(_ members: [ConfigNode.Member], with decoder: FieldDecoder) {
        guard let member = members.last(where: { $0.key == "version" }) else { return }
        decoder.fieldName = "version"
        let mark = decoder.problems.mark
        defer { decoder.problems.addHelp(since: mark) { _ in "write `version: \(Self.version)`" } }
        decoder.places.withValue(of: member) { node in
            guard let version = Int.decode(node, with: decoder), version != Self.version else { return }
            decoder.report(
                .notAllowed, "\(decoder.quoted(node)) is not allowed for `version`: this program reads version \(Self.version)", at: node,
                help: "write `version: \(Self.version)`")
        }
    }

    private static func help(for section: Section) -> String { "name the first below it, as in `\(section.example)`" }

    /// The name that the first source of a list may have.
    private static func help(forList elements: [ConfigNode], _ section: Section) -> String? {
        guard section == .sources, let first = elements.first?.target,
            let type = first.members.first(where: { $0.key == "type" })?.value.scalarText,
            Identifier.isValid(type), !elements.contains(where: { $0.target.members.contains { $0.key == "name" } }),
            let written = ConfigNode.onOneLine(first.members.filter { $0.key != "name" })
        else { return nil }
        return "begin each with a name instead of `-`: `\(type): \(written)`"
    }

    /// The members that a list of sources, pipelines or sends stands for, each with its name in `name` or as its only key.
    private static func named(_ elements: [ConfigNode]) -> [ConfigNode.Member]? {
        let members = elements.compactMap { element -> ConfigNode.Member? in
            let members = element.target.members
            if let name = members.first(where: { $0.key == "name" || $0.key == "id" }), let text = name.value.scalarText {
                let rest = ConfigNode(.mapping(members.filter { $0.key != name.key }), at: element.range)
                return ConfigNode.Member(key: text, keyRange: name.value.range, value: rest)
            }
            guard members.count == 1, let member = members.first, !member.value.target.members.isEmpty else { return nil }
            return member
        }
        return members.count == elements.count && Set(members.map { ExactName($0.key) }).count == members.count ? members : nil
    }

    /// Reports a section that is a list, and gives what its elements stand for, so that nothing else is said of them.
    private static func members(ofList elements: [ConfigNode], _ section: Section, at range: TextRange, with decoder: FieldDecoder)
        -> [ConfigNode.Member]?
    {
        guard let members = named(elements), let first = members.first else { return nil }
        let sample = first.value.onOneLine ?? "{ \(section.mark): … }"
        decoder.report(
            .wrongType, "expected a mapping of names for `\(section.rawValue)`, found a list", range: range,
            help: "begin each with its name instead of `-`: `\(first.key.inFlow.shortened): \(sample)`")
        return members
    }

    /// Reports names that Unicode calls equal although their bytes differ: they look the same, and no two of one section may have one name.
    private static func reportEquivalent(_ members: [ConfigNode.Member], in section: Section, with decoder: FieldDecoder) {
        // Of ASCII names alone no two are.
        if members.allSatisfy({ $0.key.utf8.allSatisfy { $0 < 0x80 } }) { return }
        var known: [String: ConfigNode.Member] = [:]
        for member in members {
            guard let first = known.updateValue(member, forKey: member.key), !first.key.hasSameBytes(as: member.key) else { continue }
            let place = decoder.places.place(ofKeyOf: first)
            decoder.report(
                .duplicateKey,
                "the name `\(member.key.shortened)` stands twice in `\(section.rawValue)`, once in other characters that look the same",
                at: decoder.places.place(ofKeyOf: member), help: "rename one of the two",
                related: [Diagnostic.Related("first given here", at: place.range)])
        }
    }

    /// Whether sources are declared in a pipeline, which is told there.
    private static func hasSourcesInPipelines(_ decoder: FieldDecoder) -> Bool {
        decoder.known.pipelinesSection?.target.members.contains { pipeline in
            pipeline.value.target.members.contains { $0.key == "sources" && !$0.value.target.members.isEmpty }
        } ?? false
    }

    /// The members with the fields that stand as far to the left as the name above them where they belong: they are reported.
    private static func indented(_ members: [ConfigNode.Member], in section: Section, with decoder: FieldDecoder) -> [ConfigNode.Member] {
        guard members.contains(where: \.value.isNull) else { return members }
        let fields = section.fields(decoder.known)
        var result: [ConfigNode.Member] = []
        for member in members {
            let isDeclared = member.value.target.members.contains { field in Section.allCases.contains { $0.mark == field.key } }
            guard let owner = result.last, !isDeclared, fields.contains(member.key), owner.merges.isEmpty,
                owner.value.isNull || owner.value.range == owner.keyRange
            else {
                result.append(member)
                continue
            }
            if owner.value.isNull {
                decoder.report(
                    .unknownField, "`\(member.key.shortened)` stands beside `\(owner.key.shortened)`, which it is a field of",
                    at: decoder.places.place(ofKeyOf: member), help: "indent it further than `\(owner.key.shortened)`")
            }
            // Marked by its place, so that the next field joins it.
            let all = owner.value.members + [member]
            result[result.count - 1] = ConfigNode.Member(
                key: owner.key, keyRange: owner.keyRange, value: ConfigNode(.mapping(all), at: owner.keyRange))
        }
        return result
    }

    /// What `decode` makes of the members of a section; an empty section is as good as a missing one.
    private static func section<Value>(
        _ section: Section, of members: [ConfigNode.Member], misspelt: Set<String>, with decoder: FieldDecoder,
        decode: (ConfigNode.Member) -> Value
    ) -> [Value] {
        let name = section.rawValue
        guard let member = members.last(where: { $0.key == name }) else {
            if section.isRequired, !misspelt.contains(name), !(section == .sources && hasSourcesInPipelines(decoder)) {
                decoder.report(
                    .missingField, "the configuration needs `\(name)`", range: .beginning,
                    help: "add `\(name):` with at least one name below it; `pipe-run init` writes a starter file")
            }
            return []
        }
        return decoder.places.withValue(of: member) { node in
            switch node.content {
            case .mapping(let members) where !members.isEmpty:
                reportEquivalent(members, in: section, with: decoder)
                return indented(members, in: section, with: decoder).map(decode)
            case .sequence(let elements):
                if let meant = Self.members(ofList: elements, section, at: node.range, with: decoder) { return meant.map(decode) }
                decoder.report(
                    .wrongType, "expected a mapping of names for `\(name)`, found a list", range: node.range,
                    help: help(forList: elements, section) ?? help(for: section))
            case .mapping:
                decoder.report(.outOfRange, "`\(name)` is empty: expected at least one", at: node, help: help(for: section))
            default:
                decoder.report(
                    node.isNull ? .missingField : .wrongType,
                    node.isNull
                        ? "`\(name)` is empty: expected at least one" : "expected a mapping of names for `\(name)`, found \(node.kind)",
                    range: node.isNull ? member.keyRange : node.range, help: help(for: section))
            }
            return []
        }
    }
}

/// The sources of a configuration by their names, which are compared by their bytes.
struct SourceTable {
    private let indexes: [ExactName: Int]
    /// The sources in the order of the file.
    let all: [SourceConfig]
    /// Their names.
    let names: [String]

    init(_ sources: [SourceConfig]) {
        indexes = Dictionary(sources.enumerated().map { (ExactName($1.name), $0) }) { first, _ in first }
        all = sources
        names = sources.map(\.name)
    }

    /// The source called `name`.
    subscript(name: String) -> SourceConfig? { index(of: name).map { all[$0] } }

    /// The place of the source called `name` in the order of the file.
    func index(of name: String) -> Int? { indexes[ExactName(name)] }
}
