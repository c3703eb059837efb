internal import PipelineConfig

/// The spaces between the parts of a line: one is enough. Those in scalars, in front of the first part, after the `-` of a list and
/// before a comment stay.
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
        guard range.start.line == range.end.line, range.start.column < range.end.column else { return }
        scalars[range.start.line, default: []].append(range.start.column - 1..<range.end.column - 1)
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
                result.append(" ")
                index = end
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return Array(String(String.UnicodeScalarView(result)).utf8)
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}
