/// Where `${NAME…}` stands in a text, as offsets in Unicode scalars.
struct VariableReference {
    /// `NAME`, or `file:` and a path.
    let name: String
    /// From the `$` to the closing brace.
    let range: Range<Int>
    /// What stands after `:-`; nil without a default.
    let defaultRange: Range<Int>?

    /// The references in `text`, those in defaults after the one that they stand in.
    static func all(in text: String) -> [VariableReference] {
        let scalars = Array(text.unicodeScalars)
        var references: [VariableReference] = []
        var index = 0
        while index + 1 < scalars.count {
            guard scalars[index] == "$" else {
                index += 1
                continue
            }
            if scalars[index + 1] == "{", let reference = VariableReference(in: scalars, at: index) { references.append(reference) }
            index += 2
        }
        return references
    }

    /// The first reference to `name`.
    static func find(_ name: String, in text: String) -> VariableReference? {
        all(in: text).first { $0.name == name }
    }

    private init?(in scalars: [Unicode.Scalar], at start: Int) {
        var depth = 0
        var end = start + 2
        while end < scalars.count, depth > 0 || scalars[end] != "}" {
            if scalars[end] == "{", scalars[end - 1] == "$" { depth += 1 }
            if scalars[end] == "}" { depth -= 1 }
            end += 1
        }
        guard end < scalars.count else { return nil }
        let inside = scalars[(start + 2)..<end]
        let name = inside.starts(with: "file:".unicodeScalars) ? inside : inside.prefix(while: Identifier.canContain)
        self.name = String(String.UnicodeScalarView(name))
        range = start..<(end + 1)
        let rest = inside.dropFirst(name.count)
        defaultRange = rest.starts(with: ":-".unicodeScalars) ? (rest.startIndex + 2)..<end : nil
    }
}
