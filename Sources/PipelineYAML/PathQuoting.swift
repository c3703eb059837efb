internal import PipelineConfig

/// A JSONPath in a flow mapping wants quotes, since its `[` begins a list there; this finds one without.
struct PathQuoting {
    /// The length of the longest line that is looked at.
    private static let longestLine = 800

    /// The field with the path in quotes: `at: "$[*].author_id"`.
    let quoted: String
    /// The quotes around it.
    let fix: TextFix

    /// The first path with a bracket that stands without quotes in the line of this number; nil if there is none.
    init?(_ line: String, number: Int) {
        guard line.utf8.count <= Self.longestLine else { return nil }
        let scalars = Array(line.unicodeScalars)
        guard let start = Self.start(in: scalars) else { return nil }
        let end = Self.end(in: scalars, from: start)
        let (path, key) = (Self.text(scalars[start..<end]), Self.key(in: scalars, before: start))
        guard path.contains("["), !key.isEmpty else { return nil }
        quoted = "\(key): \(TextFix.quoted(path))"
        let range = TextRange(TextPosition(line: number, column: start + 1), TextPosition(line: number, column: end + 1))
        fix = .quotes(around: range, of: path)
    }

    /// The place where a value begins with `$[` or `$.`.
    private static func start(in scalars: [Unicode.Scalar]) -> Int? {
        scalars.indices.first { index in
            guard scalars[index] == "$", index + 1 < scalars.count, scalars[index + 1] == "[" || scalars[index + 1] == "." else {
                return false
            }
            let before = scalars[..<index]
            return before.last == " " && before.last { $0 != " " } == ":"
        }
    }

    /// The end of the path that begins at `start`, its brackets in pairs.
    private static func end(in scalars: [Unicode.Scalar], from start: Int) -> Int {
        var depth = 0
        var index = start
        while index < scalars.count {
            switch scalars[index] {
            case "[": depth += 1
            case "]" where depth == 0: return index
            case "]": depth -= 1
            case ",", "}", " ", "\t": if depth == 0 { return index }
            default: break
            }
            index += 1
        }
        return index
    }

    /// The name before the colon that stands before `start`.
    private static func key(in scalars: [Unicode.Scalar], before start: Int) -> String {
        let beforeColon = scalars[..<start].reversed().drop { $0 == " " }.dropFirst()
        return text(ArraySlice(beforeColon.prefix { $0.properties.isAlphabetic || "0"..."9" ~= $0 || $0 == "_" || $0 == "-" }.reversed()))
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}
