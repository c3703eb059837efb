/// Patterns as `SCAN` takes them.
enum GlobPattern {
    /// `text` as a pattern that matches it alone.
    static func literal(_ text: String) -> String {
        // Not by characters: what follows a `*` can be one with it for Swift, and the server reads bytes.
        var pattern = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if "*?[]^\\-".unicodeScalars.contains(scalar) { pattern.append("\\") }
            pattern.append(scalar)
        }
        return String(pattern)
    }
}
