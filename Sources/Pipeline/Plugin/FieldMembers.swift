/// The members of a mapping and what it is.
struct FieldMembers {
    let members: [ConfigNode.Member]
    let owner: FieldOwner

    func has(_ name: String) -> Bool {
        members.indices.contains { members[$0].key == name }
    }
}
