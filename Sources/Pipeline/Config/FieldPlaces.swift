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
        self.init(members: members, trail: decoder.trail)
    }

    /// Where the key `name` stands; nil when the field is not given.
    func key(_ name: String) -> ConfigPlace? {
        member(name).map { ConfigPlace(range: $0.keyRange, uses: trail + $0.merges) }
    }

    private func member(_ name: String) -> ConfigNode.Member? {
        members.indices.first { members[$0].key == name }.map { members[$0] }
    }
}
