internal import Pipeline

/// Fields that belong together, and what they make: the fields of a plugin, of a tier, of a nested mapping.
public struct FieldGroup<Output>: Sendable {
    /// The fields, in the order of documentation.
    public let declarations: [FieldDeclaration]
    private let names: [String]
    private let hasDeprecated: Bool
    private let hasNeeds: Bool
    private let hasAlternatives: Bool
    private let decoding: @Sendable (FieldMembers, FieldDecoder) -> Output?

    /// A group of `fields`; `make` gets one argument for each, in order.
    public init<each Value: FieldValue>(
        _ fields: repeat Field<each Value>, make: @escaping @Sendable (repeat each Value) -> Output
    ) {
        var declarations: [FieldDeclaration] = []
        repeat declarations.append((each fields).declaration)
        self.init(declarations) { members, decoder in
            var next = 0
            func nextNumber() -> Int {
                next += 1
                return next - 1
            }
            do {
                return make(repeat try (each fields).value(number: nextNumber(), of: members, with: decoder))
            } catch {
                // The fields after the one that is not known are read for their problems, so that one run finds all.
                var number = 0
                for field in repeat each fields {
                    if number >= next { _ = try? field.value(number: number, of: members, with: decoder) }
                    number += 1
                }
                return nil
            }
        }
    }

    /// A group of fields with these declarations, which `decoding` reads.
    init(_ declarations: [FieldDeclaration], decoding: @escaping @Sendable (FieldMembers, FieldDecoder) -> Output?) {
        self.declarations = declarations
        names = declarations.map(\.name)
        hasDeprecated = declarations.contains { $0.replacement != nil }
        hasNeeds = declarations.contains { $0.need != nil }
        hasAlternatives = declarations.contains { $0.alternative != nil }
        self.decoding = decoding
    }

    /// The fields that unknown ones of `members` most likely mean.
    func misspelt(in members: [ConfigNode.Member], reserved: [String]) -> [String] {
        let known = names + reserved
        return members.lazy.filter { !known.contains($0.key) }.prefix(known.count).compactMap { NearestName.find($0.key, among: known) }
    }

    /// Reads `members`; unknown keys are reported, except those in `reserved`, which are read elsewhere.
    func decode(
        _ members: [ConfigNode.Member], of owner: FieldOwner, reserved: [String] = [], with decoder: FieldDecoder
    ) -> Output? {
        var owner = owner
        var misspellings: [TextRange: Misspelling]?
        var given: UInt64 = 0
        for index in members.indices {
            if let number = names.firstIndex(of: members[index].key) {
                if number < 64 { given |= 1 << UInt64(number) }
                continue
            }
            let member = members[index]
            if reserved.contains(member.key) { continue }
            let known = names + reserved
            let found = misspellings ?? decoder.misspellings(of: members, known: known)
            misspellings = found
            let misspelling = found[member.keyRange]
            decoder.report(
                decoder.unknownName, "unknown field `\(member.key.shortened)` in \(owner.description)",
                at: decoder.places.place(ofKeyOf: member),
                help: help(for: member, misspelling, known: known, of: owner, with: decoder), fix: misspelling?.fix)
            guard owner.misspelt.count < known.count else { continue }
            let meant =
                misspelling?.nearest.name ?? owner.place?.fieldMeant(by: member, with: decoder)
                ?? misspelling?.otherName
            if let meant {
                owner.misspelt.insert(meant)
            } else {
                decoder.problems.overlookLastError()
            }
        }
        if hasDeprecated { reportDeprecated(members, to: decoder) }
        if hasNeeds { reportNeed(in: members, of: owner, to: decoder) }
        let written = FieldMembers(members: members, owner: owner, given: given)
        let isWhole = !hasAlternatives || hasEach(of: written, with: decoder)
        let output = decoding(written, decoder)
        return isWhole ? output : nil
    }

    /// Whether each field is given that must be unless another is.
    private func hasEach(of written: FieldMembers, with decoder: FieldDecoder) -> Bool {
        var hasEach = true
        for declaration in declarations {
            guard let other = declaration.alternative, !written.members.contains(where: { $0.key == declaration.name || $0.key == other })
            else { continue }
            hasEach = false
            if !written.owner.misspelt.contains(other) { written.reportMissing(declaration, to: decoder) }
        }
        return hasEach
    }

    /// A name that is near to a field, or means something elsewhere; else the list of fields.
    private func help(
        for member: ConfigNode.Member, _ misspelling: Misspelling?, known: [String], of owner: FieldOwner, with decoder: FieldDecoder
    ) -> String? {
        let isNear = misspelling?.spaced != nil || misspelling?.nearest.name != nil
        if !isNear, let place = owner.place {
            if let help = place.help(for: member, with: decoder) { return help }
            if misspelling?.otherName == nil, let help = place.helpForOtherName(of: member, with: decoder) { return help }
        }
        return misspelling?.help(among: known, noun: "fields")
    }

    /// Reports the first field that lacks the one it needs: the others lack the same one.
    private func reportNeed(in members: [ConfigNode.Member], of owner: FieldOwner, to decoder: FieldDecoder) {
        for member in members {
            guard let need = declarations.first(where: { $0.name == member.key })?.need, !owner.misspelt.contains(need.field),
                !members.contains(where: { $0.key == need.field })
            else { continue }
            let example = declarations.first { $0.name == need.field }?.example
            return decoder.report(
                .missingField, "`\(member.key)` needs `\(need.field)`: \(need.reason)", at: decoder.places.place(ofKeyOf: member),
                help: example.map { "add `\(need.field): \($0)`, or remove `\(member.key)`" })
        }
    }

    private func reportDeprecated(_ members: [ConfigNode.Member], to decoder: FieldDecoder) {
        for member in members {
            guard let replacement = declarations.first(where: { $0.name == member.key })?.replacement else { continue }
            decoder.report(
                .unknownField, "`\(member.key)` is deprecated", at: decoder.places.place(ofKeyOf: member), severity: .warning,
                help: "use `\(replacement)` instead",
                fix: members.contains { $0.key == replacement }
                    ? nil : decoder.renaming(member.key, at: member.keyRange, to: replacement))
        }
    }
}

/// A place that has fields, and knows what a field means that it does not have: fields are read without knowing the words of each place
/// (``FieldAdvice/Place``).
protocol FieldPlace: Sendable {
    /// Where `member` belongs, or what to write instead; nil if it means nothing elsewhere.
    func help(for member: ConfigNode.Member, with decoder: FieldDecoder) -> String?

    /// The same for `member` by another program's name; nil if nothing is called so.
    func helpForOtherName(of member: ConfigNode.Member, with decoder: FieldDecoder) -> String?

    /// The field of this place that `member` stands for, which is not missing then; nil if none.
    func fieldMeant(by member: ConfigNode.Member, with decoder: FieldDecoder) -> String?
}

/// What a group of fields belongs to, for messages: ``source `disk` `` and where it is named.
struct FieldOwner {
    private let noun: String
    private let name: String?
    let range: TextRange
    /// What it is, for a field that belongs elsewhere; nil for what is never taken for another.
    var place: (any FieldPlace)?
    /// The fields that are most likely meant by unknown ones.
    var misspelt: Set<String> = []
    /// What to do where a field is missing, by its name; its example where nothing is said here.
    var helps: [String: String] = [:]

    /// Something without a name, as `a tier`.
    init(description: String, range: TextRange, place: (any FieldPlace)? = nil) {
        noun = description
        name = nil
        self.range = range
        self.place = place
    }

    /// The `noun` called `name`.
    init(_ noun: String, named name: String, range: TextRange, place: (any FieldPlace)? = nil) {
        self.noun = noun
        self.name = name
        self.range = range
        self.place = place
    }

    /// What it is called in messages. Made when one is needed: most owners have no problems.
    var description: String { name.map { "\(noun) `\($0.shortened)`" } ?? noun }
}
