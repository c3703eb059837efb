/// The members of a mapping and what it is.
struct FieldMembers {
    let members: [ConfigNode.Member]
    let owner: FieldOwner
    /// A bit for each field that is given, in the order of the fields. Fields from the 64th on count as given: they are looked for.
    var given: UInt64 = 0

    func isGiven(_ field: Int) -> Bool { field >= 64 || given & (1 << UInt64(field)) != 0 }

    /// The value of `name` behind all aliases, as ``FieldDecoder/enter(_:merges:)`` gives it; nil when the field is left out.
    func enter(_ name: String, with decoder: FieldDecoder) -> (node: ConfigNode, depth: Int)? {
        members.indices.last { members[$0].key == name }.map { decoder.places.enter(members[$0].value, merges: members[$0].merges) }
    }

    func reportMissing(_ field: FieldDeclaration, to decoder: FieldDecoder) {
        // A field with a mistyped name is there: that has been reported.
        if owner.misspelt.contains(field.name) { return }
        decoder.report(
            .missingField, "\(owner.description) needs `\(field.name)`", range: owner.range,
            help: owner.helps[field.name] ?? field.example.map { "add `\(field.name): \(decoder.fitted($0))`" })
    }
}
