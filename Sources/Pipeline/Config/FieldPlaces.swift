/// Where the fields of a mapping stand, those of a few mappings in it, too.
struct FieldPlaces: Sendable {
    private struct Field {
        let name: String
        let key: ConfigPlace
        let value: ConfigPlace
        let inner: FieldPlaces?
    }

    private let fields: [Field]

    static let none = FieldPlaces([], with: nil)

    /// - Parameter nested: the fields whose own fields are to be known.
    init(_ members: [ConfigNode.Member], nested: [String] = [], with decoder: FieldDecoder?) {
        guard let decoder else {
            fields = []
            return
        }
        fields = members.map { member in
            let (value, inner) = decoder.withValue(of: member) { node -> (ConfigPlace, FieldPlaces?) in
                guard case .mapping(let members) = node.content, nested.contains(member.key) else {
                    return (decoder.place(of: node.range), nil)
                }
                return (decoder.place(of: node.range), FieldPlaces(members, with: decoder))
            }
            return Field(name: member.key, key: decoder.place(ofKeyOf: member), value: value, inner: inner)
        }
    }

    /// Where the key `name` stands; nil when the field is not given.
    func key(_ name: String) -> ConfigPlace? {
        fields.first { $0.name == name }?.key
    }

    /// Where the value of `name` stands; nil when the field is not given.
    func value(_ name: String) -> ConfigPlace? {
        fields.first { $0.name == name }?.value
    }

    /// Where the value of `inner` stands in the mapping `name`.
    func value(_ inner: String, in name: String) -> ConfigPlace? {
        fields.first { $0.name == name }?.inner?.value(inner)
    }
}
