/// Fields that belong together, and what they make: the fields of a plugin, of a tier, of a nested mapping.
public struct FieldGroup<Output>: Sendable {
    /// The fields, in the order of documentation.
    public let declarations: [FieldDeclaration]
    private let names: [String]
    private let hasDeprecated: Bool
    private let decoding: @Sendable (FieldMembers, FieldDecoder) -> Output?

    /// A group of `fields`; `make` gets one argument for each, in order.
    public init<each Value: FieldValue>(
        _ fields: repeat Field<each Value>, make: @escaping @Sendable (repeat each Value) -> Output
    ) {
        var declarations: [FieldDeclaration] = []
        repeat declarations.append((each fields).declaration)
        self.declarations = declarations
        names = declarations.map(\.name)
        hasDeprecated = declarations.contains { $0.replacement != nil }
        decoding = { members, decoder in
            var known = 0
            func counting<Known>(_ value: Known) -> Known {
                known += 1
                return value
            }
            do {
                return make(repeat counting(try (each fields).value(from: members, with: decoder)))
            } catch {
                // The fields after the one that is not known are read for their problems, so that one run finds all.
                var rest = -known - 1
                for field in repeat each fields {
                    if rest >= 0 { _ = try? field.value(from: members, with: decoder) }
                    rest += 1
                }
                return nil
            }
        }
    }

    /// Reads `members`; unknown keys are reported, except those in `reserved`, which somebody else reads.
    func decode(
        _ members: [ConfigNode.Member], of owner: FieldOwner, reserved: [String] = [], with decoder: FieldDecoder
    ) -> Output? {
        var owner = owner
        for member in members where !names.contains(member.key) && !reserved.contains(member.key) {
            let known = names + reserved
            decoder.report(
                .unknownField, "unknown field `\(member.key.shortened)` in \(owner.description)", at: decoder.place(ofKeyOf: member),
                help: NearestName.help(for: member.key, among: known, noun: "fields"))
            if owner.misspelt.count < known.count, let nearest = NearestName.find(member.key, among: known) {
                owner.misspelt.insert(nearest)
            }
        }
        for member in members where hasDeprecated {
            guard let replacement = declarations.first(where: { $0.name == member.key })?.replacement else { continue }
            decoder.report(
                .unknownField, "`\(member.key)` is deprecated", at: decoder.place(ofKeyOf: member), help: "use `\(replacement)` instead")
        }
        return decoding(FieldMembers(members: members, owner: owner), decoder)
    }
}
