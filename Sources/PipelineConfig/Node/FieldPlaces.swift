internal import Pipeline

/// Where the fields of a mapping stand. Worked out for those that are asked for: most mappings have no problems.
struct FieldPlaces: Sendable {
    private let members: [ConfigNode.Member]
    private let trail: [TextRange]

    static let none = FieldPlaces(members: [], trail: [])

    private init(members: [ConfigNode.Member], trail: [TextRange]) {
        self.members = members
        self.trail = trail
    }

    /// The places of `members`, reached the way that `decoder` has come.
    init(_ members: [ConfigNode.Member], with decoder: FieldDecoder) {
        self.init(members: members, trail: decoder.places.trail)
    }

    /// Where the key `name` stands; nil when the field is not given.
    func key(_ name: String) -> ConfigPlace? {
        member(name).map { ConfigPlace(range: $0.keyRange, uses: trail + $0.merges) }
    }

    /// Where the value of `name` stands, behind all aliases; nil when the field is not given.
    func value(_ name: String) -> ConfigPlace? {
        target(of: name).map { ConfigPlace(range: $0.node.range, uses: $0.uses) }
    }

    /// Where the key `inner` stands in the mapping `name`.
    func key(_ inner: String, in name: String) -> ConfigPlace? {
        guard let (node, uses) = target(of: name), case .mapping(let members) = node.content else { return nil }
        return FieldPlaces(members: members, trail: uses).key(inner)
    }

    /// Whether a field that is not among those in `known` is most likely meant to be `field`.
    func hasMistyped(_ field: PipelineField, besides known: Set<String>) -> Bool {
        let names = [field.rawValue]
        return members.contains {
            !known.contains($0.key) && (OtherName.field($0.key, among: names) != nil || NearestName.find($0.key, among: names) != nil)
        }
    }

    /// How many members the mapping `name` has.
    func count(in name: String) -> Int { target(of: name)?.node.members.count ?? 0 }

    /// Where the value of `inner` stands in the mapping `name`.
    func value(_ inner: String, in name: String) -> ConfigPlace? {
        guard let (node, uses) = target(of: name), case .mapping(let members) = node.content else { return nil }
        return FieldPlaces(members: members, trail: uses).value(inner)
    }

    private func target(of name: String) -> (node: ConfigNode, uses: [TextRange])? {
        guard let member = member(name) else { return nil }
        var (node, uses) = (member.value, trail + member.merges)
        while case .alias(let target) = node.content {
            uses.append(node.range)
            node = target
        }
        return (node, uses)
    }

    private func member(_ name: String) -> ConfigNode.Member? {
        members.indices.first { members[$0].key == name }.map { members[$0] }
    }
}

/// The places by the fields of tiers and pipelines.
extension FieldPlaces {
    func key(_ field: TierField) -> ConfigPlace? { key(field.rawValue) }
    func value(_ field: TierField) -> ConfigPlace? { value(field.rawValue) }
    func value(_ inner: String, in field: TierField) -> ConfigPlace? { value(inner, in: field.rawValue) }
    func key(_ field: PipelineField) -> ConfigPlace? { key(field.rawValue) }
    func value(_ field: PipelineField) -> ConfigPlace? { value(field.rawValue) }
}
