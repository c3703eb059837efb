/// A key that no field has, and what it was most likely meant to be.
struct Misspelling {
    /// The field that comes nearest.
    let nearest: NearestName
    /// The edit that makes it that field; nil where that is not certain.
    var fix: TextFix?
}
