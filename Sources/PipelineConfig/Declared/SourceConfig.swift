public import Pipeline
import PipelineComposing

/// One source as the file declares it. An object, since every pipeline that uses the source refers to it.
public final class SourceConfig: Sendable {
    /// The name of the source.
    public let name: String
    /// The place where it is named.
    public let range: TextRange
    /// The place where it is named, with the merges on the way.
    let place: ConfigPlace
    /// The name of its plugin; nil when it has none that is known.
    public let type: String?
    /// The capabilities of the source; nil if its plugin is not known.
    public let capabilities: Set<Capability>?
    /// The parameters that its templates name.
    let parameterUses: [ParameterUse]
    /// The names of the parameters that its templates name, each once.
    let parametersInTemplates: Set<String>
    /// Whether it may use parameters that no template names: all of them, as `{key}` does, or a source without any template.
    let mayUseAllParameters: Bool
    /// The first variable of the environment among the credentials that it sends; nil without one, and where its answers say what else they
    /// depend on.
    package let sentCredential: SentCredential?
    /// Whether a variable says where its copies are.
    let namesUser: Bool
    /// What its fields with roles say.
    let notes: [FieldNote]
    /// The fields that its plugin declares.
    package let declarations: [FieldDeclaration]
    /// The names of the fields that it can have, besides its type.
    package var fieldNames: [String] { declarations.map(\.name) }
    /// Whether all of it could be read, variables without a value aside.
    let isSoundInForm: Bool
    /// Makes the source; nil when its fields are not sound.
    let making: SourcePlugin.Making?
    /// Where it says what it loads from; nil when it does not.
    let address: SourceAddress?
    /// Where it says what it asks for, when that is a query.
    let query: SourceAddress?
    /// Whether all its fields are as they were meant: `making` puts defaults in place of those that could not be read.
    let isSound: Bool

    /// Indicates whether it is a cache; nil if its plugin is not known.
    public let isWritable: Bool?

    /// Indicates whether it reports changes, and holds no values; nil if its plugin is not known.
    public let tellsOfChanges: Bool?

    /// How it takes sends; nil if it takes none, or some field is not known.
    public let sending: SendTarget?

    /// Indicates whether it is an outbox, and holds no values.
    public var keepsSends: Bool { capabilities?.contains(.keepsSends) == true }

    /// Indicates whether it can be a tier: it holds or gives values, or its plugin is not known.
    package var mayHoldValues: Bool { tellsOfChanges != true && !keepsSends }

    /// What it does that holds no values, as a verb.
    var otherPurpose: String { keepsSends ? "keeps sends" : "reports changes" }

    /// The longest time that one read of it takes by its own field; nil without one.
    package var ownTimeLimit: Duration? { notes.first { $0.role == .timeLimit }?.duration }

    /// Indicates whether a new connection of it goes on where the last one ended.
    package var resumes: Bool { notes.contains { $0.role == .resumes && $0.text == true.written } }

    /// The text of the file in the field with this role, its words and its place; nil if the default holds.
    package func written(_ role: FieldRole) -> (text: String, words: String?, range: TextRange)? {
        guard let note = notes.first(where: { $0.role == role }), let place = note.place else { return nil }
        return note.text.map { ($0, note.explanation, place.range) }
    }

    /// The way in which it reads many values with one call, in words, and the place where the file says so; nil if it does not.
    package var batch: (words: String?, range: TextRange)? {
        notes.first { $0.role == .batch }.flatMap { note in note.place.map { (note.explanation, $0.range) } }
    }

    /// Indicates whether its copies outlive the process.
    package var isDurable: Bool { notes.contains { $0.role.isPlace } }

    /// The time for which its entries are fresh, if they say it themselves.
    package var freshness: SourceFreshness? { SourceFreshness(notes) }

    /// Indicates whether its entries could say that, and it does not count.
    package var ignoresFreshness: Bool { notes.contains { $0.role == .limitsFreshness && $0.isNone } }

    /// Whether its entries say themselves how long they are fresh.
    let limitsFreshness: Bool

    /// Indicates whether it never misses and never fails.
    package let alwaysAnswers: Bool

    private init(
        name: String, range: TextRange, place: ConfigPlace, type: String?, capabilities: Set<Capability>?,
        parameterUses: [ParameterUse], hasUnreadTexts: Bool = false, sentCredential: SentCredential? = nil, namesUser: Bool = false,
        notes: [FieldNote], declarations: [FieldDeclaration],
        isSoundInForm: Bool, making: SourcePlugin.Making?, sending: SendTarget? = nil, address: SourceAddress?,
        query: SourceAddress?, isSound: Bool
    ) {
        self.name = name
        self.range = range
        self.place = place
        self.type = type
        self.capabilities = capabilities
        // Each pipeline with the source asks.
        isWritable = capabilities?.contains(.writes)
        tellsOfChanges = capabilities?.contains(.emitsChanges)
        limitsFreshness = capabilities?.contains(.limitsFreshness) == true
        alwaysAnswers = capabilities?.contains(.alwaysAnswers) == true
        self.parameterUses = parameterUses
        self.sentCredential = limitsFreshness ? nil : sentCredential
        self.namesUser = namesUser
        parametersInTemplates = Set(parameterUses.map(\.parameter))
        mayUseAllParameters =
            making == nil || hasUnreadTexts || parametersInTemplates.contains("key")
            || (isWritable == false && !declarations.contains { $0.type.holdsTemplates })
        self.notes = notes
        self.declarations = declarations
        self.isSoundInForm = isSoundInForm
        self.making = making
        self.sending = isSoundInForm ? sending : nil
        self.address = address
        self.query = query
        self.isSound = isSound
    }

    /// A mapping with the fields of the plugin that its `type` names.
    static func fieldType(plugins: [SourcePlugin]) -> FieldType {
        .variants(
            by: "type",
            plugins.map {
                FieldVariant(
                    name: $0.name, documentation: $0.summary, declarations: $0.declarations, alternatives: $0.alternatives)
            })
    }

    static func decode(_ member: ConfigNode.Member, plugins: [SourcePlugin], with decoder: FieldDecoder) -> SourceConfig? {
        guard decoder.countPart(at: member.keyRange) else { return nil }
        let place = decoder.places.place(ofKeyOf: member)
        if member.key.utf8.elementsEqual(CompositeSpec.placeName.utf8) {
            decoder.report(
                .outOfRange, "a source cannot be called `\(CompositeSpec.placeName)`: in `tiers` that is the place of what `combine` makes",
                at: place, help: "give it another name")
        }
        return decoder.places.withValue(of: member) { node in
            guard case .mapping(let members) = node.content else {
                decoder.report(
                    .wrongType, "expected a mapping for the source `\(member.key.shortened)`, found \(node.kind)",
                    range: node.isNull ? member.keyRange : node.range, help: help(forSource: member.key, writtenAs: node, plugins: plugins))
                return SourceConfig(unknown: member, at: place)
            }
            guard let plugin = plugin(of: member, members, plugins: plugins, with: decoder) else {
                return SourceConfig(unknown: member, at: place)
            }
            decoder.notes.fields = []
            let mark = decoder.problems.mark
            _ = decoder.notes.takeParameterUses()
            decoder.notes.sentCredential = nil
            decoder.notes.hasUnreadTexts = false
            let written = FieldAdvice.Place.source(member.key, fields: plugin.declarations)
            let owner = FieldOwner("source", named: member.key, range: member.keyRange, place: written)
            decoder.field.isOfSource = true
            defer { decoder.field.isOfSource = false }
            let decoded = plugin.decode(members, of: owner, with: decoder)
            let isSound = !decoder.problems.hasErrors(since: mark)
            return SourceConfig(
                name: member.key, range: member.keyRange, place: place, type: plugin.name,
                capabilities: capabilities(of: plugin, decoder.notes.fields),
                parameterUses: decoder.notes.takeParameterUses(), hasUnreadTexts: decoder.notes.hasUnreadTexts,
                sentCredential: decoder.notes.sentCredential,
                namesUser: namesUser(decoder.notes.fields, plugin.declarations, with: decoder), notes: decoder.notes.fields,
                declarations: plugin.declarations, isSoundInForm: decoder.problems.isSoundInForm(since: mark), making: decoded?.making,
                sending: decoded?.sending, address: SourceAddress(members, of: plugin, with: decoder),
                query: SourceAddress(members, of: plugin, with: decoder) { $0.type == .query }, isSound: isSound)
        }
    }

    /// What a source of `plugin` can do with the fields that were read.
    private static func capabilities(of plugin: SourcePlugin, _ notes: [FieldNote]) -> Set<Capability> {
        var capabilities = plugin.capabilities
        if notes.contains(where: \.isReadOnly) { capabilities.remove(.writes) }
        if SourceFreshness(notes) != nil { capabilities.insert(.limitsFreshness) }
        return capabilities
    }

    /// How the source `name` is begun that is not written as a mapping: with the type that its value, or its name, stands for.
    private static func help(forSource name: String, writtenAs node: ConfigNode, plugins: [SourcePlugin]) -> String {
        let types = plugins.map(\.name)
        let words = [node.scalarText, name].compactMap(\.self)
        let type = words.lazy.compactMap { word in types.first { $0 == word } ?? OtherName.type(word, among: types) }.first
        guard let plugin = plugins.first(where: { $0.name == type }) else {
            return "a source is a mapping with its type, as in `\(name.inFlow.shortened): { type: \(types.first ?? "TYPE") }`"
        }
        let required = plugin.declarations.filter(\.isRequired).map { ", \($0.name): …" }.joined()
        let source = "`\(name.inFlow.shortened): { type: \(plugin.name)\(required) }`"
        return required.isEmpty ? "write \(source)" : "a source is a mapping with its type, as in \(source)"
    }

    private static func plugin(
        of member: ConfigNode.Member, _ members: [ConfigNode.Member], plugins: [SourcePlugin], with decoder: FieldDecoder
    ) -> SourcePlugin? {
        let names = plugins.map(\.name)
        guard let type = members.last(where: { $0.key == "type" }) else {
            if let (unspaced, value) = members.lazy.compactMap({ member in FieldDecoder.unspaced(member.key).map { (member, $0) } }).first(
                where: {
                    $0.1.name == "type"
                })
            {
                decoder.report(
                    .unknownField, "unknown field `\(unspaced.key.shortened)` in source `\(member.key.shortened)`",
                    at: decoder.places.place(ofKeyOf: unspaced), help: "write `type: \(value.value.shortened)`")
                return nil
            }
            let misspelt = members.filter { NearestName.find($0.key, among: ["type"]) != nil }
            if let first = misspelt.first {
                decoder.report(
                    .unknownField, "unknown field `\(first.key.shortened)` in source `\(member.key.shortened)`",
                    at: decoder.places.place(ofKeyOf: first), help: "did you mean `type`?",
                    fix: misspelt.count > 1 ? nil : decoder.renaming(first.key, at: first.keyRange, to: "type"))
                return nil
            }
            decoder.report(
                .missingField, "source `\(member.key.shortened)` needs `type`", range: member.keyRange,
                help: "add `type:` with one of \(names.map { "`\($0)`" }.joined(separator: ", "))")
            return nil
        }
        decoder.fieldName = "type"
        return decoder.places.withValue(of: type) { node in
            guard let name = decoder.text(of: node, expecting: "the name of a source type") else { return nil }
            if let plugin = plugins.first(where: { $0.name == name }) { return plugin }
            decoder.report(
                .unknownSourceType, "unknown source type \(decoder.quoted(node))", word: name, of: node, among: names,
                noun: "types")
            return nil
        }
    }
}

extension SourceConfig {
    /// The composite of a pipeline, which stands at `place`: an origin whose answers say how long they are fresh.
    convenience init(compositeAt place: ConfigPlace) {
        self.init(
            name: CompositeSpec.placeName, range: place.range, place: place, type: nil, capabilities: [.neverMisses, .limitsFreshness],
            parameterUses: [], notes: [], declarations: [], isSoundInForm: true, making: nil, address: nil, query: nil, isSound: true)
    }

    /// Indicates whether it is the composite of a pipeline.
    public var isComposite: Bool { type == nil && isSoundInForm }

    /// A source that is named and cannot be made: what refers to it is still checked.
    private convenience init(unknown member: ConfigNode.Member, at place: ConfigPlace) {
        self.init(
            name: member.key, range: member.keyRange, place: place, type: nil, capabilities: nil, parameterUses: [],
            notes: [], declarations: [], isSoundInForm: false, making: nil, address: nil, query: nil,
            isSound: false)
    }
}

extension FieldType {
    fileprivate var holdsTemplates: Bool {
        switch self {
        case .url, .path, .template, .secret, .query: true
        case .list(let element, _): element.holdsTemplates
        case .map(let value, _, _): value.holdsTemplates
        case .object(let fields, _): fields.contains { $0.type.holdsTemplates }
        case .either(let types): types.contains { $0.holdsTemplates }
        default: false
        }
    }
}

/// The field of a source that says where to find what it loads from.
struct SourceAddress: Sendable {
    /// Its key: `url`, `path`.
    let field: String
    /// Where its value stands.
    let range: TextRange
    /// The aliases, merges and variables that the value came through.
    let related: [Diagnostic.Related]
}

extension SourceAddress {
    /// The first field of `plugin` that takes a URL or a path, or has the role of an address, and is given; nil when there is none.
    init?(_ members: [ConfigNode.Member], of plugin: SourcePlugin, with decoder: FieldDecoder) {
        self.init(members, of: plugin, with: decoder) { [.url, .path].contains($0.type) || [.address, .place].contains($0.role) }
    }

    /// The first field of `plugin` that is such a one and is given.
    init?(
        _ members: [ConfigNode.Member], of plugin: SourcePlugin, with decoder: FieldDecoder, where isMeant: (FieldDeclaration) -> Bool
    ) {
        let given = plugin.declarations.lazy.filter(isMeant).compactMap { field in members.last { $0.key == field.name } }
        guard let member = given.first else { return nil }
        self = decoder.places.withValue(of: member) { node in
            let place = decoder.places.place(of: node.range)
            return SourceAddress(field: member.key, range: place.range, related: decoder.remarks(on: place))
        }
    }
}

/// The time for which the entries of a source are fresh that says it itself.
package struct SourceFreshness: Sendable {
    /// The value of the field that asks for it, and its place; no range if the default holds.
    package let mode: String
    package let range: TextRange?
    /// The time for which an entry is fresh that says nothing, as it is written.
    package let fallback: String?
    /// The bounds, and where the longest is written.
    package let least: Duration?
    package let most: Duration?
    package let mostRange: TextRange?

    /// Nil for a source whose entries carry no limits.
    init?(_ notes: [FieldNote]) {
        guard let asking = notes.first(where: { $0.role == .limitsFreshness }), !asking.isNone else { return nil }
        func note(_ role: FieldRole) -> FieldNote? { notes.first { $0.role == role } }
        mode = asking.text ?? ""
        range = asking.place?.range
        fallback = note(.defaultFreshness)?.text
        least = note(.leastFreshness)?.duration
        most = note(.mostFreshness)?.duration
        mostRange = note(.mostFreshness)?.place?.range
    }
}

extension FieldNote {
    /// Whether the word `none` holds.
    var isNone: Bool { text == "none" }
}

/// The pace at which a source lets its origin be asked.
package struct SourcePace: Sendable, Hashable {
    /// What each field says, by its name; equal for sources with equal limits.
    let limits: [String: String]
    /// In words, as a part of a sentence, and where the file says so; no range where the default holds.
    package let words: String?
    package let range: TextRange?

    /// Nil for a source without such limits.
    init?(_ notes: [FieldNote]) {
        let notes = notes.filter { $0.role == .originLimits || $0.role == .retryBudget }
        guard !notes.isEmpty else { return nil }
        limits = Dictionary(notes.map { ($0.name, $0.text ?? "") }) { first, _ in first }
        let note = notes.first { $0.explanation != nil }
        words = note?.explanation
        range = note?.place?.range
    }
}

extension SourceConfig {
    /// The pace at which it lets its origin be asked; nil if that has no limits.
    package var pace: SourcePace? { SourcePace(notes) }

    /// The scheme, host and port that it asks, alike for URLs that lead to one origin; nil if that is not known, or depends on a key.
    package var origin: String? {
        guard let text = notes.first(where: { $0.role == .originAddress })?.text, let slashes = text.range(of: "://") else { return nil }
        let authority = text[slashes.upperBound...].prefix { !"/?#".contains($0) }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        guard !host.contains("\0"), !host.contains("{"), !host.isEmpty else { return nil }
        let scheme = text[..<slashes.lowerBound].lowercased()
        let usual = scheme == "https" ? ":443" : ":80"
        return scheme + "://" + (host.hasSuffix(usual) ? String(host.dropLast(usual.count)) : String(host)).lowercased()
    }
}

extension SampleSources {
    init(_ sources: [SourceConfig]) {
        let origins = sources.filter { $0.isWritable != true && $0.mayHoldValues }.map(\.name)
        self.init(cache: sources.first { $0.isWritable == true }?.name, origin: origins.first, names: Set(origins.map(ExactName.init)))
    }
}
