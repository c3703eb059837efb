package import PipelineConfig

/// Makes edits in a text; every byte besides stays as it is.
package enum TextEdit {
    /// The text with the replacements of `fixes`. Of edits that overlap, the first is made. Also gives which fixes were made.
    package static func applied(_ fixes: [TextFix], to text: [UInt8]) -> (text: [UInt8], made: [Int]) {
        let lines = SourceLines(text)
        var edits: [(range: Range<Int>, text: String)] = []
        var made: [Int] = []
        for (index, fix) in fixes.enumerated() {
            let own = fix.replacements.compactMap { replacement -> (range: Range<Int>, text: String)? in
                guard let start = lines.byte(at: replacement.range.start), let end = lines.byte(at: replacement.range.end), start <= end
                else { return nil }
                return (start..<end, replacement.text)
            }
            guard own.count == fix.replacements.count else { continue }
            let isThere = own.allSatisfy { edit in edits.contains { $0.range == edit.range && $0.text == edit.text } }
            let collides = own.contains { edit in edits.contains { $0.range.touches(edit.range) } }
            guard isThere || !collides else { continue }
            if !isThere { edits += own }
            made.append(index)
        }
        var result: [UInt8] = []
        var position = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += text[position..<edit.range.lowerBound]
            result += Array(edit.text.utf8)
            position = edit.range.upperBound
        }
        return (result + text[position...], made)
    }
}

extension Range<Int> {
    /// Whether what one of them replaces the other does, too, or both put something in at one place.
    fileprivate func touches(_ other: Range<Int>) -> Bool {
        overlaps(other) || lowerBound == other.lowerBound || (isEmpty && other.contains(lowerBound))
            || (other.isEmpty && contains(other.lowerBound))
    }
}
