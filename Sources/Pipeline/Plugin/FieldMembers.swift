/// The members of a mapping and what it is.
struct FieldMembers {
    let members: [ConfigNode.Member]
    let owner: FieldOwner
    /// A bit for each field that is given, in the order of the fields. Fields from the 64th on count as given: they are looked for.
    var given: UInt64 = 0

    func isGiven(_ field: Int) -> Bool { field >= 64 || given & (1 << UInt64(field)) != 0 }
}
