internal import Pipeline

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
