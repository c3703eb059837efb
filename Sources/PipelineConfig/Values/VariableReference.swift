internal import Pipeline

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
        guard text.hasByte(UInt8(ascii: "$")) else { return [] }
        let scalars = Array(text.unicodeScalars)
        let ends = ends(in: scalars)
        var references: [VariableReference] = []
        var index = 0
        while index + 1 < scalars.count {
            guard scalars[index] == "$" else {
                index += 1
                continue
            }
            var next = index + 2
            if scalars[index + 1] == "{", let end = ends[index] {
                let reference = VariableReference(in: scalars, at: index, to: end)
                references.append(reference)
                // All of it is the path of a file.
                if reference.name.hasPrefix("file:") { next = end + 1 }
            }
            index = next
        }
        return references
    }

    /// What within `ranges` of `text` is not a reference; the default in a reference is not. Takes time in proportion to the text and the
    /// ranges.
    static func rest(of text: String, within ranges: [Range<Int>]) -> [Range<Int>] {
        let ranges = ranges.filter { !$0.isEmpty }
        guard !ranges.isEmpty, text.hasByte(UInt8(ascii: "$")) else { return ranges }
        var isReference = [Bool](repeating: false, count: text.unicodeScalars.count)
        for reference in all(in: text) where reference.isWellFormed {
            for index in reference.range { isReference[index] = true }
            for index in reference.defaultRange ?? 0..<0 { isReference[index] = false }
        }
        return ranges.flatMap { range -> [Range<Int>] in
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
    }

    /// The first reference to `name`.
    static func find(_ name: String, in text: String) -> VariableReference? {
        all(in: text).first { $0.name == name }
    }

    /// The first place of `scalar` within `part` of `text` that is in no reference.
    static func first(_ scalar: Unicode.Scalar, outsideOfReferencesIn text: String, within part: Range<Int>) -> Int? {
        var references = all(in: text).map(\.range)[...]
        // In the order of their beginnings: the last that began may have ended, and the one around it not.
        var end = 0
        for (index, candidate) in text.unicodeScalars.enumerated().prefix(part.upperBound) {
            while let next = references.first, next.lowerBound <= index {
                end = max(end, next.upperBound)
                references.removeFirst()
            }
            if index >= part.lowerBound, index >= end, candidate == scalar { return index }
        }
        return nil
    }

    /// For each `${` its closing brace, found for all of them in one pass.
    private static func ends(in scalars: [Unicode.Scalar]) -> [Int: Int] {
        var ends: [Int: Int] = [:]
        var open: [Int] = []
        for index in scalars.indices {
            if scalars[index] == "{", index > 0, scalars[index - 1] == "$" { open.append(index - 1) }
            if scalars[index] == "}", let start = open.popLast() { ends[start] = index }
        }
        return ends
    }

    private init(in scalars: [Unicode.Scalar], at start: Int, to end: Int) {
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

/// The spelling of variables and parameters: a letter or `_`, then letters, digits and `_`.
package enum Identifier {
    /// The pattern of a name as a regular expression.
    package static let pattern = "[A-Za-z_][A-Za-z0-9_]*"

    package static func isValid(_ text: some StringProtocol) -> Bool {
        var isFirst = true
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9") where !isFirst: break
            default: return false
            }
            isFirst = false
        }
        return !isFirst
    }

    /// Whether `scalar` can stand in such a name after its first character.
    static func canContain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}
