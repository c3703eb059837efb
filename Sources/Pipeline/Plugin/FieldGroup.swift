/// Fields that belong together, and what they make: the fields of a plugin, of a tier, of a nested mapping.
public struct FieldGroup<Output>: Sendable {
    /// The fields, in the order of documentation.
    public let declarations: [FieldDeclaration]
    private let decoding: @Sendable (FieldMembers, FieldDecoder) -> Output?

    /// A group of `fields`; `make` gets one argument for each, in order.
    public init<each Value: FieldValue>(
        _ fields: repeat Field<each Value>, make: @escaping @Sendable (repeat each Value) -> Output
    ) {
        var declarations: [FieldDeclaration] = []
        repeat declarations.append((each fields).declaration)
        self.declarations = declarations
        decoding = { members, decoder in
            // All fields are read before the first missing one ends it, so that one run finds every problem.
            let values = (repeat (each fields).read(from: members.members, of: members.owner, with: decoder))
            func known<Wrapped>(_ value: Wrapped?) throws -> Wrapped {
                guard let value else { throw UnknownValue() }
                return value
            }
            do {
                return make(repeat try known(each values))
            } catch {
                return nil
            }
        }
    }

    private struct UnknownValue: Error {}

    /// The fields that unknown ones of `members` most likely mean.
    func misspelt(in members: [ConfigNode.Member], reserved: [String]) -> [String] {
        let known = declarations.map(\.name) + reserved
        return members.filter { !known.contains($0.key) }.prefix(known.count).compactMap { NearestName.find($0.key, among: known) }
    }

    /// Reads `members`; unknown keys are reported, except those in `reserved`, which somebody else reads.
    func decode(
        _ members: [ConfigNode.Member], of owner: FieldOwner, reserved: [String] = [], with decoder: FieldDecoder
    ) -> Output? {
        var owner = owner
        let known = declarations.map(\.name) + reserved
        for member in members where !known.contains(member.key) {
            decoder.report(
                .unknownField, "unknown field `\(member.key.shortened)` in \(owner.description)", at: decoder.place(ofKeyOf: member),
                help: NearestName.help(for: member.key, among: known, noun: "fields"))
            guard owner.misspelt.count < known.count else { continue }
            if let nearest = NearestName.find(member.key, among: known) {
                owner.misspelt.insert(nearest)
            } else {
                decoder.overlookLastError()
            }
        }
        for member in members {
            guard let replacement = declarations.first(where: { $0.name == member.key })?.replacement else { continue }
            decoder.report(
                .unknownField, "`\(member.key)` is deprecated", at: decoder.place(ofKeyOf: member), severity: .warning,
                help: "use `\(replacement)` instead")
        }
        return decoding(FieldMembers(members: members, owner: owner), decoder)
    }
}

/// The members of a mapping and what it is.
private struct FieldMembers {
    let members: [ConfigNode.Member]
    let owner: FieldOwner
}
