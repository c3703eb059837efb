internal import Pipeline

extension FieldDecoder {
    /// Reports that `word`, which is the text of `node`, is none of `known`: with what was most likely meant, and corrected where it can
    /// have been nothing else.
    func report(
        _ code: DiagnosticCode, _ message: String, word: String, of node: ConfigNode, among known: [String], noun: String
    ) {
        lazy var nearest = nearest(to: word, among: known)
        let other = code == .unknownSourceType ? OtherName.type(word, among: known) : OtherName.value(word, among: known)
        report(
            code, message, at: places.place(of: nil, in: node),
            help: other.map { "did you mean `\($0)`?" } ?? nearest.help(among: known, noun: noun),
            fix: nearest.certain.flatMap { renaming(word, at: node.target.range, to: $0) })
    }

    /// Reports that `name` is the name of no `noun` in `known`, as ``report(_:_:word:of:among:noun:)`` does of a word.
    ///
    /// - Parameters:
    ///   - place: where the name is written, where `range` has more than that.
    ///   - plural: of the noun, where it is not with an `s`.
    package func reportUnknown(
        _ code: DiagnosticCode, _ noun: String, _ name: String, at range: TextRange, written place: TextRange? = nil, among known: [String],
        plural: String? = nil
    ) {
        lazy var nearest = nearest(to: name, among: known)
        let plural = plural ?? "\(noun)s"
        report(
            code, "unknown \(noun) `\(name.shortened)`", at: places.place(of: range),
            help: nearest.help(among: known, noun: plural) ?? "there are no \(plural)",
            fix: nearest.certain.flatMap { renaming(name, at: place ?? range, to: $0) })
    }

    /// The edit that puts `name` in place of `word`; nil unless `word` stands at `range` letter by letter, and `name` needs no quotes.
    func renaming(_ word: String, at range: TextRange, to name: String) -> TextFix? {
        guard range.start.line == range.end.line, !interpolation.isFromOutside(range), !word.contains("$"), needsNoQuotes(name)
        else { return nil }
        let quotes = range.end.column - range.start.column - word.unicodeScalars.count
        guard quotes == 0 || quotes == 2 else { return nil }
        let inner = TextRange(
            TextPosition(line: range.start.line, column: range.start.column + quotes / 2),
            TextPosition(line: range.end.line, column: range.end.column - quotes / 2))
        return TextFix([TextFix.Replacement(inner, with: name)], summary: "now `\(name.shortened)`")
    }

    private func needsNoQuotes(_ name: String) -> Bool {
        Identifier.isValid(name.replacing("-", with: "_")) && name.first != "-" && !CoreSchema.isNull(name) && CoreSchema.bool(name) == nil
    }

    /// What the unknown keys of `members` were most likely meant to be, by their places.
    ///
    /// A name that is there already, or that two keys come near to, is certain for none of them.
    func misspellings(of members: [ConfigNode.Member], known: [String]) -> [TextRange: Misspelling] {
        // Of more no problem is kept.
        let unknown = members.lazy.filter { !known.contains($0.key) }.prefix(DiagnosticList.most)
        guard !unknown.isEmpty else { return [:] }
        let given = Set(members.map(\.key))
        var misspellings: [TextRange: Misspelling] = [:]
        var owners: [String: [ConfigNode.Member]] = [:]
        for member in unknown {
            if let misspelling = unspaced(member, known: known, given: given) {
                misspellings[member.keyRange] = misspelling
                continue
            }
            let nearest = nearest(to: member.key, among: known)
            misspellings[member.keyRange] = Misspelling(
                nearest: nearest, otherName: OtherName.field(member.key, among: known.filter { !given.contains($0) }))
            if let name = nearest.certain, !given.contains(name) { owners[name, default: []].append(member) }
        }
        for (name, members) in owners where members.count == 1 {
            for member in members { misspellings[member.keyRange]?.fix = renaming(member.key, at: member.keyRange, to: name) }
        }
        return misspellings
    }

    /// In `{ timeout:3s }` all of it is a key, since a space is missing; in `{ ttl = 1h }`, since a `:` is.
    private func unspaced(_ member: ConfigNode.Member, known: [String], given: Set<String>) -> Misspelling? {
        guard member.value.isNull, let (name, value) = Self.unspaced(member.key), known.contains(name), !given.contains(name) else {
            return nil
        }
        let range = member.keyRange
        let isPlain =
            range.start.line == range.end.line && range.end.column - range.start.column == member.key.unicodeScalars.count
            && member.value.range.start == member.value.range.end && !interpolation.isFromOutside(range)
        let written = "\(name): \(value)"
        return Misspelling(
            nearest: nearest(to: name, among: known), spaced: written, lacksColon: !member.key.contains(":"),
            fix: isPlain ? Self.separating(member.key, name, at: range) : nil)
    }

    /// The edit that separates the name from the value by a `:` and a space.
    private static func separating(_ key: String, _ name: String, at range: TextRange) -> TextFix {
        let column = range.start.column + name.unicodeScalars.count
        func place(_ offset: Int) -> TextPosition { TextPosition(line: range.start.line, column: column + offset) }
        guard !key.contains(":") else {
            return TextFix([TextFix.Replacement(TextRange(place(1), place(1)), with: " ")], summary: "now with a space")
        }
        let gap = key.dropFirst(name.count).prefix { $0 == " " || $0 == "=" }.count
        return TextFix([TextFix.Replacement(TextRange(place(0), place(gap)), with: ": ")], summary: "now with a `:`")
    }

    /// The name and the value in a key that has both, as `timeout:3s` and `ttl = 1h`; nil for any other.
    static func unspaced(_ key: String) -> (name: String, value: String)? {
        guard let sign = key.firstIndex(where: { $0 == ":" || $0 == "=" }) else { return nil }
        let name = key[..<sign].split(separator: " ", omittingEmptySubsequences: true)
        let value = key[key.index(after: sign)...].drop { $0 == " " }
        guard name.count == 1, !value.isEmpty, key[sign] == "=" || !key[..<sign].contains(" ") else { return nil }
        return (String(name[0]), String(value))
    }
}

/// A key that no field has, and what it was most likely meant to be.
struct Misspelling {
    /// The field that comes nearest.
    let nearest: NearestName
    /// The field that other programs call so; nil for a key that is called so nowhere.
    var otherName: String?
    /// The key with the space that it lacks, as `timeout: 3s`; nil for any other key.
    var spaced: String?
    /// Whether a `:` is missing rather than the space behind it.
    var lacksColon = false
    /// The edit that makes it that field; nil where that is not certain.
    var fix: TextFix?

    /// The nearest of `known`, else the list of them; or that a space is missing.
    func help(among known: some Collection<String>, noun: String) -> String? {
        if let spaced, lacksColon { return "write `\(spaced.shortened)`" }
        if let spaced { return "put a space after the `:`: `\(spaced.shortened)`" }
        if nearest.name == nil, let otherName { return "did you mean `\(otherName)`?" }
        return nearest.help(among: known, noun: noun)
    }
}
