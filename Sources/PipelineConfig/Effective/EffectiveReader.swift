internal import Pipeline
import PipelineComposing
import PipelineSending

/// Reads nodes as the values they come to, by the types that are declared for them.
struct EffectiveReader {
    let environment: ConfigEnvironment
    let folder: String
    let redactor: Redactor
    /// Where secrets stand in the file.
    let secretRanges: [TextRange]

    func source(_ member: ConfigNode.Member, plugins: [SourcePlugin]) -> EffectiveValue {
        let type = member.value.member("type").flatMap { interpolated($0)?.text }
        let declarations = plugins.first { $0.name == type }?.declarations ?? []
        let typeField = FieldDeclaration(name: "type", type: .choice([]), documentation: "", isRequired: true)
        let asking = declarations.first { $0.role == .limitsFreshness }
        let isAsked =
            asking.map { field in member.value.member(field.name).flatMap { interpolated($0)?.text } ?? field.defaultText } != "none"
        let meaningful = declarations.filter { field in
            // Where the response of an origin does not count, bounds for it mean nothing, and a default is no statement.
            let isAboutResponses: Bool = [.limitsFreshness, .defaultFreshness, .leastFreshness, .mostFreshness].contains(field.role)
            return isAsked || !isAboutResponses || member.value.member(field.name) != nil
        }
        return object(member.value, of: [typeField] + meaningful, uses: member.merges)
    }

    func pipeline(_ member: ConfigNode.Member, sources: SourceTable) -> EffectiveValue {
        let deadline = member.value.member(PipelineField.deadline.rawValue).flatMap { interpolated($0)?.text }.flatMap {
            try? Quantity.duration($0)
        }
        return object(member.value, of: DeclaredPipeline.fields.declarations, uses: member.merges) { name, node, uses in
            switch PipelineField(rawValue: name) {
            // The names of sources are no secrets, also where a secret is the same word.
            case .writeBack: value(node, of: .either([.choice([]), .map(.list(.choice([])))]), uses: uses)
            case .live: list(node, uses: uses) { elements, uses in elements.map { feed($0, sources: sources, uses: uses) } }
            case .tiers:
                list(node, uses: uses) { elements, uses in
                    zip(elements, areLastResorts(elements, sources: sources)).map {
                        tier($0, isLastResort: $1, sources: sources, deadline: deadline, uses: uses)
                    }
                }
            case .description, .parameters, .format, .combine, .links, .staleWhileRevalidate, .staleIfError, .notFoundTTL, .refreshAhead,
                .priority, .deadline, .maxSize, nil:
                nil
            }
        }
    }

    /// The elements of a list as `read` reads them; nil for what is no list.
    private func list(
        _ node: ConfigNode, uses: [TextRange], _ read: ([ConfigNode], [TextRange]) -> [EffectiveValue]
    ) -> EffectiveValue? {
        followed(node, uses: uses) { node, uses in
            guard case .sequence(let elements) = node.content else { return nil }
            return EffectiveValue(.list(read(elements, uses)), from: [.place(node.range, uses: uses)])
        }
    }

    /// A tier is written out, also when the file only names its source. What means nothing for an origin has no default there.
    private func tier(
        _ node: ConfigNode, isLastResort: Bool, sources: SourceTable, deadline: Duration?, uses: [TextRange]
    ) -> EffectiveValue {
        followed(node, uses: uses) { node, uses in
            let members = members(naming: node)
            let source = source(in: members, sources)
            let meaningless = source?.isWritable.map(TierField.meaningless) ?? []
            let declarations = TierConfig.fields.declarations
                .filter { field in !meaningless.contains { $0.rawValue == field.name } }
                .map { $0.name == "source" ? Self.sourceField : $0 }
                .map { field in
                    standIn(for: field.name, members, source: source, isLastResort: isLastResort, deadline: deadline).map {
                        FieldDeclaration(name: field.name, type: field.type, documentation: "", defaultText: $0)
                    } ?? field
                }
            return object(members, at: node.range, of: declarations, uses: uses) { _, _, _ in nil }
        }
    }

    /// The names of sources are no secrets, also where a secret is the same word.
    private static let sourceField = nameField("source")

    /// A field with the name of a source or a pipeline.
    private static func nameField(_ name: String, default text: String? = nil) -> FieldDeclaration {
        FieldDeclaration(name: name, type: .choice([]), documentation: "", isRequired: text == nil, defaultText: text)
    }

    /// A feed is written out, too. What means nothing for messages that are not merged, or have no content, has no default there.
    private func feed(_ node: ConfigNode, sources: SourceTable, uses: [TextRange]) -> EffectiveValue {
        followed(node, uses: uses) { node, uses in
            let members = members(naming: node)
            let hasContents = source(in: members, sources)?.capabilities?.contains(.signalsOnly) != true
            let meaningless =
                !hasContents ? FeedConfig.fieldsOfContents : members.contains { $0.key == "id" } ? [] : FeedConfig.fieldsOfMerging
            let declarations = FeedConfig.fields.declarations.filter { !meaningless.contains($0.name) }
            return object(
                members, at: node.range, of: declarations.map { $0.name == "source" ? Self.sourceField : $0 }, uses: uses)
        }
    }

    /// The fields of a tier or a feed, also where only its source is named.
    private func members(naming node: ConfigNode) -> [ConfigNode.Member] {
        if case .mapping(let members) = node.content { return members }
        return [ConfigNode.Member(key: "source", keyRange: node.range, value: node)]
    }

    private func source(in members: [ConfigNode.Member], _ sources: SourceTable) -> SourceConfig? {
        guard let member = members.last(where: { $0.key == "source" }), let name = interpolated(member.value.target)?.text else {
            return nil
        }
        return name == CompositeSpec.placeName ? .init(compositeAt: ConfigPlace(range: member.value.range, uses: [])) : sources[name]
    }

    /// Which tiers are a last resort where they do not say.
    private func areLastResorts(_ elements: [ConfigNode], sources: SourceTable) -> [Bool] {
        var lastResort = LastResort()
        return elements.map { element in
            let members = members(naming: element.target)
            guard let source = source(in: members, sources) else { return false }
            var policy = TierPolicy()
            policy.reads = members.last { $0.key == TierField.reads.rawValue }.flatMap { interpolated($0.value.target)?.text } != "false"
            return lastResort.takes(policy, isOrigin: source.isWritable == false, alwaysAnswers: source.alwaysAnswers)
        }
    }

    /// What holds where a field of a tier is left out and something else decides.
    private func standIn(
        for field: String, _ members: [ConfigNode.Member], source: SourceConfig?, isLastResort: Bool, deadline: Duration?
    ) -> String? {
        switch TierField(rawValue: field) {
        case .lastResort: source?.isWritable == false ? "\(isLastResort)" : nil
        // A limit that the deadline comes before never holds.
        case .timeout: source?.timeoutOfTiers.flatMap { limit in deadline.map { $0 <= limit } ?? false ? nil : limit.written }
        case .maxDelay:
            members.last { $0.key == TierField.debounce.rawValue }.flatMap { interpolated($0.value.target)?.text }.flatMap {
                try? Quantity.duration($0)
            }
            .flatMap { TierPolicy.defaultMaxDelay(debounce: $0).written }
        case .ttl, .jitter, .debounce, .softTimeout, .onError, .onNotFound, .reads, .writes, .retry, .circuitBreaker, nil: nil
        }
    }

    /// The value of `node`, which is declared to be of `type`.
    func value(_ node: ConfigNode, of type: FieldType, uses: [TextRange]) -> EffectiveValue {
        followed(node, uses: uses) { node, uses in
            switch node.content {
            case .scalar(let scalar): return single(scalar, node, of: type, uses: uses).identified(by: identity(of: scalar))
            case .sequence(let elements):
                let values = elements.map { value($0, of: type.element, uses: uses) }
                return EffectiveValue(.list(values), from: [.place(node.range, uses: uses)])
            case .mapping(let members):
                if let declarations = type.declarations { return object(members, at: node.range, of: declarations, uses: uses) }
                let values = members.map {
                    EffectiveValue.Member(key: $0.key, value: value($0.value, of: type.memberType, uses: uses + $0.merges))
                }
                return EffectiveValue(.mapping(values), from: [.place(node.range, uses: uses)])
            case .alias(let target): return value(target, of: type, uses: uses)
            }
        }
    }

    private func followed<Value>(_ node: ConfigNode, uses: [TextRange], _ body: (ConfigNode, [TextRange]) -> Value) -> Value {
        guard case .alias(let target) = node.content else { return body(node, uses) }
        return followed(target, uses: uses + [node.range], body)
    }

    private typealias Special = (_ field: String, _ node: ConfigNode, _ uses: [TextRange]) -> EffectiveValue?

    private func object(
        _ node: ConfigNode, of declarations: [FieldDeclaration], uses: [TextRange], special: Special = { _, _, _ in nil }
    ) -> EffectiveValue {
        followed(node, uses: uses) { object($0.members, at: $0.range, of: declarations, uses: $1, special: special) }
    }

    /// The members in the order of the file, and after them the defaults of the fields that are not given.
    private func object(
        _ members: [ConfigNode.Member], at range: TextRange, of declarations: [FieldDeclaration], uses: [TextRange],
        special: Special = { _, _, _ in nil }
    ) -> EffectiveValue {
        var values: [EffectiveValue.Member] = []
        for member in members {
            guard let declaration = declarations.first(where: { $0.name == member.key }) else { continue }
            let uses = uses + member.merges
            let value = special(member.key, member.value, uses) ?? value(member.value, of: declaration.type, uses: uses)
            values.append(.init(key: member.key, value: value))
        }
        for declaration in declarations where !members.contains(where: { $0.key == declaration.name }) {
            // Without the field that it needs it means nothing.
            if let need = declaration.need, !members.contains(where: { $0.key == need.field }) { continue }
            guard let text = declaration.defaultText else { continue }
            values.append(.init(key: declaration.name, value: Self.byDefault(text, of: declaration.type)))
        }
        return EffectiveValue(.mapping(values), from: [.place(range, uses: uses)])
    }

    /// The default that is written `text`.
    static func byDefault(_ text: String, of type: FieldType) -> EffectiveValue {
        if type.holdsCollections, text == "{}" { return EffectiveValue(.mapping([]), from: [.byDefault]) }
        if type.holdsCollections, text.hasPrefix("["), text.hasSuffix("]") {
            let elements = text.dropFirst().dropLast().split(separator: ",").map { String($0.drop { $0 == " " }) }
            return EffectiveValue(.list(elements.map { byDefault($0, of: type.element) }), from: [.byDefault])
        }
        if let declarations = type.declarations, text.hasPrefix("{"), text.hasSuffix("}") {
            let members = text.dropFirst().dropLast().split(separator: ",").compactMap { member -> EffectiveValue.Member? in
                let words = member.split(separator: " ", maxSplits: 1)
                guard words.count == 2, let field = declarations.first(where: { $0.name + ":" == words[0] }) else { return nil }
                return .init(key: field.name, value: byDefault(String(words[1].prefix { $0 != " " }), of: field.type))
            }
            return EffectiveValue(.mapping(members), from: [.byDefault])
        }
        let isPlain = type.isQuantity && text.isUnquotedQuantity || type.holdsUnquoted && CoreSchema.isUnquoted(text)
        let scalar = EffectiveValue.Scalar(text: isPlain ? text : text.escapingDollars, mustBePlain: isPlain)
        return EffectiveValue(.scalar(scalar), from: [.byDefault]).identified(by: [text])
    }
}

extension SourceConfig {
    /// The time that a tier has where it says nothing; nil where nothing waits, and where the source's own limit is shorter.
    fileprivate var timeoutOfTiers: Duration? {
        guard capabilities?.contains(.answersAtOnce) == false else { return nil }
        let limit = notes.first { $0.role == .timeLimit }?.duration
        return limit.map { $0 <= TierPolicy.defaultTimeout } ?? false ? nil : TierPolicy.defaultTimeout
    }
}

extension FieldType {
    private var alternatives: [FieldType] {
        if case .either(let types) = self { types.flatMap(\.alternatives) } else { [self] }
    }

    /// The type of a list's elements.
    fileprivate var element: FieldType {
        for case .list(let element, _) in alternatives { return element }
        return mayBe(.any) ? .any : .string
    }

    /// The type of the values of a map.
    fileprivate var memberType: FieldType {
        for case .map(let value, _, _) in alternatives { return value }
        return mayBe(.any) ? .any : .string
    }

    /// The fields of a nested mapping.
    fileprivate var declarations: [FieldDeclaration]? {
        for case .object(let fields, _) in alternatives { return fields }
        return nil
    }

    fileprivate var holdsCollections: Bool {
        alternatives.contains {
            switch $0 {
            case .list, .map, .object: true
            default: false
            }
        }
    }

    /// Whether only quantities can be written.
    var isQuantity: Bool { alternatives.allSatisfy { [.duration, .size, .ratio].contains($0) } }

    /// Whether quotes change what is written.
    var holdsUnquoted: Bool { alternatives.contains(.int) || alternatives.contains(.bool) }

    /// Whether one of the alternatives is a word of the user's, as the path of a database.
    var mayBeWord: Bool { alternatives.contains { if case .word = $0 { true } else { false } } }

    /// Whether one of the alternatives is `type`.
    func mayBe(_ type: FieldType) -> Bool { alternatives.contains(type) }
}

extension EffectiveReader {
    /// A send is written out with what holds where its target or its outbox decide.
    func send(_ member: ConfigNode.Member, sources: SourceTable) -> EffectiveValue {
        func text(_ field: SendField) -> String? { member.value.member(field.rawValue).flatMap { interpolated($0)?.text } }
        let target = text(.to).flatMap { sources[$0] }
        let outboxes = sources.all.filter(\.keepsSends)
        let maxDelay = text(.debounce).flatMap { try? Quantity.duration($0) }.flatMap { $0 > .zero ? $0 * 10 : nil }
        let declarations = SendConfig.group.declarations.map { field in
            let standIn: String? =
                switch SendField(rawValue: field.name) {
                case .to: nil
                case .outbox: outboxes.count == 1 ? outboxes[0].name : nil
                case .idHeader: target?.sending.map { IDHeaderChoice(header: $0.idHeader).written ?? "" }
                case .maxDelay: maxDelay?.written
                default: field.defaultText
                }
            // The names of sources are no secrets, also where a secret is the same word.
            let isName = [SendField.to, .outbox].contains { $0.rawValue == field.name }
            return isName ? Self.nameField(field.name, default: standIn) : field.defaulting(to: standIn)
        }
        return object(member.value, of: declarations, uses: member.merges) { name, node, uses in
            guard SendField(rawValue: name) == .changes else { return nil }
            return list(node, uses: uses) { elements, uses in elements.map { change($0, uses: uses) } }
        }
    }

    /// What means nothing for the operation has no default.
    private func change(_ node: ConfigNode, uses: [TextRange]) -> EffectiveValue {
        followed(node, uses: uses) { node, uses in
            let word = node.member("op").flatMap { interpolated($0)?.text }
            let operation = word.flatMap { SendChange.Operation(rawValue: $0) } ?? .refresh
            let declarations = ChangeConfig.declarations.map { field in
                if field.name == "pipeline" { return Self.nameField(field.name) }
                return operation.takes(field.name) ? field : field.defaulting(to: nil)
            }
            return object(node, of: declarations, uses: uses)
        }
    }
}

extension FieldDeclaration {
    /// This field with another default.
    fileprivate func defaulting(to text: String?) -> FieldDeclaration {
        FieldDeclaration(name: name, type: type, documentation: "", defaultText: text, bounds: bounds)
    }
}
