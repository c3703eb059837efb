/// How often a source lets its origin be asked.
package struct SourcePace: Sendable, Hashable {
    /// What each field says, by its name; equal for sources with equal limits.
    let limits: [String: String]
    /// In words, as a part of a sentence, and where the file says so; no range where the default holds.
    package let words: String?
    package let range: TextRange?

    /// Nil for a source without such limits.
    init?(_ notes: [FieldNote]) {
        let notes = notes.filter { $0.role == .originLimits || $0.role == .retryBudget }
        guard !notes.isEmpty else { return nil }
        limits = Dictionary(notes.map { ($0.name, $0.text ?? "") }) { first, _ in first }
        let note = notes.first { $0.explanation != nil }
        words = note?.explanation
        range = note?.place?.range
    }
}

extension SourceConfig {
    /// How often it lets its origin be asked; nil where that has no limits.
    package var pace: SourcePace? { SourcePace(notes) }

    /// The scheme, host and port that it asks, alike for URLs that lead to one origin; nil where that is not known, or depends on a key.
    package var origin: String? {
        guard let text = notes.first(where: { $0.role == .originAddress })?.text, let slashes = text.range(of: "://") else { return nil }
        let authority = text[slashes.upperBound...].prefix { !"/?#".contains($0) }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        guard !host.contains("\0"), !host.contains("{"), !host.isEmpty else { return nil }
        let scheme = text[..<slashes.lowerBound].lowercased()
        let usual = scheme == "https" ? ":443" : ":80"
        return scheme + "://" + (host.hasSuffix(usual) ? String(host.dropLast(usual.count)) : String(host)).lowercased()
    }
}
