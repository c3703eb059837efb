/// Patterns as `SCAN` takes them.
enum GlobPattern {
    /// `text` as a pattern that matches it alone.
    static func literal(_ text: String) -> String {
        text.reduce(into: "") { pattern, character in
            if "*?[]^\\-".contains(character) { pattern += "\\" }
            pattern.append(character)
        }
    }
}
