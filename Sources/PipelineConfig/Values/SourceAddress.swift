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
        self = decoder.withValue(of: member) { node in
            let place = decoder.place(of: node.range)
            return SourceAddress(field: member.key, range: place.range, related: decoder.remarks(on: place))
        }
    }
}
