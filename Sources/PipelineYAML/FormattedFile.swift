internal import PipelineConfig

/// A configuration in its normal layout: what changes can change no meaning, and every comment stays.
///
/// Lines end with LF and have no white space at their ends, no two empty lines follow each other, the text ends with one line break
/// and begins without a byte order mark; between the parts of a line stands one space. The white space of a scalar over lines is left
/// alone.
package struct FormattedFile {
    /// The file in its layout; nothing is written.
    package let file: ConfigFile
    /// For each line of the layout, from 1, the line it was.
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
    /// Whether both say the same, wherever it stands.
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
