package import Pipeline
import PipelineComposing

/// One tier as the file declares it. An object, since each rule looks at it and it is large.
public final class TierConfig: Sendable {
    /// The name of its source.
    public let source: String
    /// The place where the source is named.
    public let range: TextRange
    /// The policy that the file declares beside `source`: limits, retries and how long copies are fresh.
    package let policy: TierPolicy
    /// Where the source is named, with the aliases and merges on the way.
    let place: ConfigPlace
    /// Where the fields of the policy stand.
    let fieldPlaces: FieldPlaces
    /// Whether all of it could be read; else the policy has defaults where something else is written.
    let isSound: Bool

    private init(
        source: String, range: TextRange, policy: TierPolicy, place: ConfigPlace, fieldPlaces: FieldPlaces, isSound: Bool
    ) {
        self.source = source
        self.range = range
        self.policy = policy
        self.place = place
        self.fieldPlaces = fieldPlaces
        self.isSound = isSound
    }
}

extension TierConfig {
    /// The place of `composite` in an order that does not name it.
    convenience init(of composite: SourceConfig) {
        self.init(
            source: composite.name, range: composite.range, policy: TierPolicy(), place: composite.place, fieldPlaces: .none, isSound: true)
    }

    /// Whether it names the place of a composite, as far as its pipeline has one.
    var isComposite: Bool { source.utf8.elementsEqual(CompositeSpec.placeName.utf8) }
}

extension TierConfig: FieldValue {
    /// What the fields set.
    struct Draft {
        var source = ""
        var policy = TierPolicy()
    }

    static let fields = FieldGroup(
        [
            FieldSetting(Field<String>("source", "The name of a source declared under `sources:`.", example: "memory")) { $0.source = $1 }
        ] + TierField.allCases.map(\.setting), from: Draft())

    /// The names of the fields that it can have, besides its source.
    package static var policyNames: [String] { TierField.allCases.map(\.rawValue) }

    /// The name of a source, or a mapping with it.
    public static var fieldType: FieldType { .either([.string, .object(fields.declarations)]) }

    /// The tier written in `node`.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TierConfig? {
        guard decoder.countPart(at: node.range) else { return nil }
        return decoder.places.withTarget(of: node) { node in
            guard case .mapping(let written) = node.content else {
                decoder.fieldName = "tiers"
                return decoder.text(of: node, expecting: "the name of a source or a mapping with `source`").map {
                    TierConfig(
                        source: $0, range: node.range, policy: TierPolicy(), place: decoder.places.place(of: node.range),
                        fieldPlaces: .none,
                        isSound: true)
                }
            }
            let mark = decoder.problems.mark
            if let tier = reportMeant(written, of: node, with: decoder) { return tier.source }
            let members = decoder.members(naming: "a tier", written, of: node, known: fields.declarations.map(\.name)) ?? written
            let places = FieldPlaces(members, with: decoder)
            let named = members.last { $0.key == "source" }
            let owner = FieldOwner(description: "a tier", range: node.range, place: FieldAdvice.Place.tier(source: named?.value.scalarText))
            guard let draft = fields.decode(members, of: owner, with: decoder) else { return nil }
            let place =
                named.map { decoder.places.withValue(of: $0) { decoder.places.place(of: $0.range) } }
                ?? decoder.places.place(of: node.range)
            return TierConfig(
                source: draft.source, range: place.range, policy: draft.policy, place: place, fieldPlaces: places,
                isSound: decoder.problems.errors(since: mark) == 0)
        }
    }

    /// Reports a source that is declared among the tiers, and `memory ttl: 30s`; nil for any other mapping.
    private static func reportMeant(_ members: [ConfigNode.Member], of node: ConfigNode, with decoder: FieldDecoder) -> (
        source: TierConfig?, Void
    )? {
        guard !members.contains(where: { $0.key == "source" }), let first = members.first else { return nil }
        if let type = members.first(where: { $0.key == "type" })?.value.target.scalarText,
            decoder.known.types.contains(where: { $0.name == type })
        {
            decoder.report(
                .unknownField, "a source is declared among the tiers: a tier names one", at: node,
                help: "move it to `sources`, as in `sources: { NAME: { type: \(type), … } }`, and write `NAME` here")
            return (nil, ())
        }
        let sources = decoder.known.sources
        let value = decoder.secrets.holds(first.value.range) ? nil : first.value.onOneLine
        var (source, written) = (first.key, "{ source: \(first.key.inFlow), ttl: \(value ?? "…") }")
        if let meant = MeantTier(first.key, sources: sources, isKey: true) {
            (source, written) = (meant.source, meant.written(lastValue: value ?? "…"))
        } else if !sources.contains(first.key) || value.flatMap({ try? Quantity.duration($0) }) == nil {
            return nil
        }
        decoder.report(
            .unknownField, "unknown field `\(first.key.shortened)` in a tier", at: decoder.places.place(ofKeyOf: first),
            help: "write `\(written)`")
        return (
            TierConfig(
                source: source, range: node.range, policy: TierPolicy(), place: decoder.places.place(of: node.range),
                fieldPlaces: .none,
                isSound: false), ()
        )
    }

    /// The name of its source.
    public var written: String? { source }
}

/// The tiers of a pipeline, of which there is at least one.
struct TierList: FieldValue {
    let tiers: [TierConfig]
    /// Whether all that are written could be read.
    let isComplete: Bool
    /// How many errors were reported of them.
    let errors: Int

    /// No tier is written: the composite is the only one.
    static let none = TierList(tiers: [], isComplete: true, errors: 0)

    static var fieldType: FieldType { .list(TierConfig.fieldType, atLeast: 1) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TierList? {
        let count = decoder.places.withTarget(of: node) { if case .sequence(let tiers) = $0.content { tiers.count } else { 1 } }
        if count == 0 {
            decoder.report(
                .outOfRange, "the list of tiers is empty", at: node,
                help: "name at least one source, as in `tiers: \(decoder.sampleTiers(for: ""))`")
        }
        let mark = decoder.problems.mark
        let isMapping = decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content, !members.isEmpty else { return false }
            decoder.report(
                .wrongType, "expected a list for `tiers`, found a mapping", at: node,
                help: entries(namedBy: members).map { "write `tiers: [\($0)]`" } ?? "begin each tier with `- source: NAME`")
            return true
        }
        if isMapping || reportText(node, with: decoder) { return nil }
        return [TierConfig].decode(node, with: decoder).map {
            TierList(tiers: $0, isComplete: count > 0 && $0.count == count, errors: decoder.problems.errors(since: mark))
        }
    }

    /// Reports tiers that are one text: names with commas, arrows or dashes between them.
    private static func reportText(_ node: ConfigNode, with decoder: FieldDecoder) -> Bool {
        decoder.places.withTarget(of: node) { node in
            guard let text = node.scalarText, !text.isEmpty, text.utf8.count <= 1_000, !text.contains("$") else { return false }
            let known = decoder.known.sources
            let words = text.split { $0.isWhitespace || ",;>()[]|→".contains($0) }.map(word).filter { !["", "//", "*"].contains($0) }
            let names = words.contains(where: known.contains) ? words.filter(known.contains) : words
            let hasDashes = text.split(separator: " ").contains { $0.first == "-" && $0 != "->" && $0 != "-" }
            decoder.report(
                .wrongType, "expected a list for `tiers`, found \(node.kind)", at: node,
                help: hasDashes
                    ? "put a space after each `-`, or write `tiers: [\(names.map(\.inFlow).joined(separator: ", "))]`".shortened(to: 200)
                    : "write `tiers: [\(names.map(\.inFlow).joined(separator: ", "))]`".shortened(to: 200))
            return true
        }
    }

    /// A name without the dashes around it.
    private static func word(_ text: Substring) -> String {
        var rest = text.drop { $0 == "-" }
        while let last = rest.last, "-=".contains(last) { rest = rest.dropLast() }
        return String(rest)
    }

    /// The list that was meant where sources are written as keys: `{ source: memory, ttl: 30s }, api`.
    static func entries(namedBy members: [ConfigNode.Member]) -> String? {
        let tiers = members.map { member -> String? in
            let name = member.key.inFlow
            switch member.value.content {
            case .mapping(let fields) where fields.isEmpty: return name
            case .mapping(let fields): return ConfigNode.onOneLine(fields).map { "{ source: \(name), \($0.dropFirst(2))" }
            default: return member.value.isNull ? name : nil
            }
        }
        let written = tiers.compactMap(\.self)
        let list = written.joined(separator: ", ")
        return written.count == tiers.count && list.utf8.count <= 120 ? list : nil
    }

    var written: String? { nil }
}

/// The tier that was meant by a text with more than a name in it: `memory ttl 30s`, `memory (30s)`, `memory api`.
struct MeantTier {
    /// The source that is named first.
    let source: String
    private let sources: [String]
    private let fields: [(name: String, value: String?)]

    private static let longest = 200

    /// Nil where `text` does not begin with the name of a source, or has something else in it that is not understood.
    ///
    /// - Parameter isKey: whether the last word is a field whose value stands elsewhere.
    init?(_ text: String, sources known: [String], isKey: Bool = false) {
        guard text.utf8.count <= Self.longest else { return nil }
        var words = text.split { $0.isWhitespace || ",=:;()[]|\"'".contains($0) }.map(String.init)[...]
        words = words.filter { word in !word.allSatisfy { "->→&+".contains($0) } }[...]
        guard let source = words.popFirst(), known.contains(source), source != text else { return nil }
        var (sources, fields) = ([source], [(name: String, value: String?)]())
        while let word = words.popFirst() {
            if TierConfig.policyNames.contains(word) {
                fields.append((word, words.popFirst()))
            } else if known.contains(word), fields.isEmpty {
                sources.append(word)
            } else if (try? Quantity.duration(word)) != nil, fields.isEmpty {
                fields.append(("ttl", word))
            } else {
                return nil
            }
        }
        guard isKey ? fields.last?.value == nil && !fields.isEmpty && sources.count == 1 : fields.allSatisfy({ $0.value != nil }) else {
            return nil
        }
        guard fields.isEmpty || sources.count == 1 else { return nil }
        (self.source, self.sources, self.fields) = (source, sources, fields)
    }

    /// The sources that are named.
    var names: [String] { sources }

    /// As it is written: `{ source: memory, ttl: 30s }`, or names with a comma between.
    func written(lastValue: String = "…") -> String {
        guard !fields.isEmpty else { return sources.map(\.inFlow).joined(separator: ", ") }
        return "{ " + (["source: \(source.inFlow)"] + fields.map { "\($0.name): \($0.value?.inFlow ?? lastValue)" }).joined(separator: ", ")
            + " }"
    }
}
