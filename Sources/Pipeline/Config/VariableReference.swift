/// Where `${NAME…}` stands in a text, as offsets in Unicode scalars.
struct VariableReference {
    /// `NAME`, or `file:` and a path.
    let name: String
    /// From the `$` to the closing brace.
    let range: Range<Int>
    /// Whether what stands after the name is what a reference may have there; else it may be anything, also a secret.
    let isWellFormed: Bool
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

    /// What is not a reference in `text`; the default in a reference is not.
    static func rest(of text: String, within range: Range<Int>? = nil) -> [Range<Int>] {
        let count = text.unicodeScalars.count
        let range = range ?? 0..<count
        var isReference = [Bool](repeating: false, count: count)
        for reference in all(in: text) where reference.isWellFormed {
            for index in reference.range { isReference[index] = true }
            for index in reference.defaultRange ?? 0..<0 { isReference[index] = false }
        }
        var parts: [Range<Int>] = []
        for index in range where !isReference[index] {
            if let last = parts.last, last.upperBound == index {
                parts[parts.count - 1] = last.lowerBound..<(index + 1)
            } else {
                parts.append(index..<(index + 1))
            }
        }
        return parts
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
        isWellFormed =
            !name.isEmpty && (rest.isEmpty || defaultRange != nil || rest.starts(with: ":?".unicodeScalars))
    }
}
