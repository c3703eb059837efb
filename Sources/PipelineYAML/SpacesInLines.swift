internal import PipelineConfig

/// The spaces between the parts of a line: one is enough, and none before a `,` or the `:` after a key. Those in scalars and comments, in
/// front of the first part, after the `-` of a list and before a comment stay.
struct SpacesInLines {
    /// Where scalars stand in a line, in Unicode scalars from 0.
    private var scalars: [Int: [Range<Int>]] = [:]

    /// - Parameter root: what the lines are read as.
    init(_ root: ConfigNode) {
        note(root)
    }

    private mutating func note(_ node: ConfigNode) {
        switch node.content {
        case .scalar: note(node.range)
        case .sequence(let elements): for element in elements { note(element) }
        case .mapping(let members):
            // What a merge brings here is written elsewhere.
            for member in members where member.merges.isEmpty {
                note(member.keyRange)
                note(member.value)
            }
        case .alias: break
        }
    }

    private mutating func note(_ range: TextRange) {
        // Of a scalar over lines, all but the last are left alone as they are.
        let start = range.start.line == range.end.line ? range.start.column : 1
        guard start < range.end.column else { return }
        scalars[range.end.line, default: []].append(start - 1..<range.end.column - 1)
    }

    /// The line of this number with one space in place of several.
    func tidied(_ content: [UInt8], line number: Int) -> [UInt8] {
        let text = Array(String(decoding: content, as: UTF8.self).unicodeScalars)
        var kept = (scalars[number] ?? []).sorted { $0.lowerBound < $1.lowerBound }[...]
        var index = text.firstIndex { !Self.isBlank($0) && !"-?".unicodeScalars.contains($0) } ?? text.endIndex
        var result = text[..<index]
        while index < text.endIndex {
            kept = kept.drop { $0.upperBound <= index }
            if let scalar = kept.first, scalar.contains(index) {
                result += text[index..<min(scalar.upperBound, text.endIndex)]
                index = scalar.upperBound
            } else if Self.isBlank(text[index]) {
                let end = text[index...].firstIndex { !Self.isBlank($0) } ?? text.endIndex
                guard end < text.endIndex, text[end] != "#" else {
                    result += text[index...]
                    break
                }
                if !Self.needsNoSpace(before: end, in: text, after: result.last) { result.append(" ") }
                index = end
            } else if text[index] == "#" {
                // What is no scalar and no space is a sign of YAML, an anchor or a tag: none of them has a `#` in it.
                result += text[index...]
                break
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return Array(String(String.UnicodeScalarView(result)).utf8)
    }

    /// Whether the part at `index` stands right behind `last`: a `,`, or the `:` that ends a key. `a: , b` has a value that is left out.
    private static func needsNoSpace(before index: Int, in text: [Unicode.Scalar], after last: Unicode.Scalar?) -> Bool {
        switch text[index] {
        case ",": last != ":"
        case ":": index + 1 < text.endIndex && isBlank(text[index + 1]) && last.map { !"-?,[{".unicodeScalars.contains($0) } == true
        default: false
        }
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}
