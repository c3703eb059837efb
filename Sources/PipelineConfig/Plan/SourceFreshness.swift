/// How long the entries of a source are fresh that says it itself.
package struct SourceFreshness: Sendable {
    /// What the field says that asks for it, and where; no range where the default holds.
    package let mode: String
    package let range: TextRange?
    /// How long an entry is fresh that says nothing, as it is written.
    package let fallback: String?
    /// The bounds, and where the longest is written.
    package let least: Duration?
    package let most: Duration?
    package let mostRange: TextRange?

    /// Nil for a source whose entries carry no limits.
    init?(_ notes: [FieldNote]) {
        guard let asking = notes.first(where: { $0.role == .limitsFreshness }), !asking.isNone else { return nil }
        func note(_ role: FieldRole) -> FieldNote? { notes.first { $0.role == role } }
        mode = asking.text ?? ""
        range = asking.place?.range
        fallback = note(.defaultFreshness)?.text
        least = note(.leastFreshness)?.duration
        most = note(.mostFreshness)?.duration
        mostRange = note(.mostFreshness)?.place?.range
    }
}

extension FieldNote {
    /// Whether the word `none` holds.
    var isNone: Bool { text == "none" }
}
