internal import PipelineConfig

/// A configuration in its normal layout: what changes can change no meaning, and every comment stays.
///
/// Lines end with LF and have no white space at their ends, no two empty lines follow each other, the text ends with one line break
/// and begins without a byte order mark; between the parts of a line stands one space. The white space of a scalar over lines is left
/// alone.
package struct FormattedFile {
    /// The file in its layout; nothing is written.
    package let file: ConfigFile
    /// The number, from 1, that each line of the layout had before.
    package let origins: [Int]

    /// Lays out `file`; nil for a text that is no sound document, or that would not be read as before.
    package init?(_ file: ConfigFile) {
        guard let (root, scalars) = file.layout() else { return nil }
        let spaces = SpacesInLines(root)
        // Empty lines below a block scalar, and the line break at its end, are a part of it or not: the tree tells.
        let attempts: [(spaces: SpacesInLines?, keepsTails: Bool, endsLine: Bool)] = [
            (spaces, false, true), (spaces, true, true), (spaces, true, false), (nil, false, true), (nil, true, true), (nil, true, false),
        ]
        for (spaces, keepsTails, endsLine) in attempts {
            var layout = Self.layout(of: file, keeping: scalars, tails: keepsTails, tidying: spaces)
            if !endsLine, layout.text.last == 0x0A { layout.text.removeLast() }
            let formatted = file.with(layout.text)
            guard let (after, _) = formatted.layout(), after.says(sameAs: root) else { continue }
            self.file = formatted
            origins = layout.origins
            return
        }
        return nil
    }
}

extension FormattedFile {
    private static func layout(
        of file: ConfigFile, keeping scalars: [ScalarLines], tails: Bool, tidying spaces: SpacesInLines?
    ) -> (text: [UInt8], origins: [Int]) {
        let lines = file.lines
        var kept: Set<Int> = []
        for scalar in scalars {
            var last = scalar.lines.upperBound - 1
            if scalar.isBlock, !tails { while last >= scalar.lines.lowerBound, isBlank(lines[last]) { last -= 1 } }
            if last >= scalar.lines.lowerBound { kept.formUnion(scalar.lines.lowerBound...last) }
        }
        var text: [UInt8] = []
        var origins: [Int] = []
        var blanks: (text: [UInt8], origin: Int)?
        for number in 1...max(1, lines.count) {
            var line = line(number, of: lines, trimmed: !kept.contains(number))
            if !kept.contains(number), let spaces { line.content = spaces.tidied(line.content, line: number) }
            guard kept.contains(number) || !line.content.isEmpty else {
                if blanks == nil { blanks = (line.ending, number) }
                continue
            }
            if let (ending, origin) = blanks {
                text += ending.isEmpty ? [0x0A] : ending
                origins.append(origin)
            }
            blanks = nil
            text += line.content + (line.ending.isEmpty ? [0x0A] : line.ending)
            origins.append(number)
        }
        return (text, origins)
    }

    /// A line and what ends it: LF in place of CR and CRLF, which YAML reads as one. Other breaks stay.
    private static func line(_ number: Int, of lines: SourceLines, trimmed: Bool) -> (content: [UInt8], ending: [UInt8]) {
        var bytes = lines.bytes(ofLine: number)[...]
        if number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        let length = lines[number].utf8.count
        var content = Array(bytes.prefix(length))
        let ending = Array(bytes.dropFirst(length))
        if trimmed { while let last = content.last, last == 0x20 || last == 0x09 { content.removeLast() } }
        return (content, ending == [0x0D, 0x0A] || ending == [0x0D] ? [0x0A] : ending)
    }

    private static func isBlank(_ line: String) -> Bool { line.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } }
}

extension ConfigNode {
    /// Indicates whether both say the same, wherever it stands.
    fileprivate func says(sameAs other: ConfigNode) -> Bool {
        switch (content, other.content) {
        case (.scalar(let left), .scalar(let right)): left.text.utf8.elementsEqual(right.text.utf8) && left.isPlain == right.isPlain
        case (.sequence(let left), .sequence(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.says(sameAs: $1) }
        case (.mapping(let left), .mapping(let right)):
            left.count == right.count
                && zip(left, right).allSatisfy { $0.key.utf8.elementsEqual($1.key.utf8) && $0.value.says(sameAs: $1.value) }
        case (.alias(let left), .alias(let right)): left.says(sameAs: right)
        default: false
        }
    }
}

/// The spaces between the parts of a line: one is enough, and none before a `,` or the `:` after a key. Those in scalars and comments, in
/// front of the first part, after the `-` of a list and before a comment stay.
struct SpacesInLines {
    /// The places of scalars in a line, in Unicode scalars from 0.
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

    /// Indicates whether the part at `index` stands right behind `last`: a `,`, or the `:` that ends a key. `a: , b` has a value that is
    /// left out.
    private static func needsNoSpace(before index: Int, in text: [Unicode.Scalar], after last: Unicode.Scalar?) -> Bool {
        switch text[index] {
        case ",": last != ":"
        case ":": index + 1 < text.endIndex && isBlank(text[index + 1]) && last.map { !"-?,[{".unicodeScalars.contains($0) } == true
        default: false
        }
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}
