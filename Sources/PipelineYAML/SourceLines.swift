internal import PipelineConfig

/// The lines of a text, counted as libyaml counts them: LF, CR, CRLF, NEL, LS and PS end a line.
public struct SourceLines: Sendable {
    private let text: [UInt8]
    private let starts: [Int]
    private let counts: ScalarCounts
    /// The place of the first byte that is not UTF-8; nil when the text is.
    let firstInvalid: TextPosition?

    init(_ text: [UInt8]) {
        self.text = text
        starts = text.withUnsafeBufferPointer(Self.starts)
        counts = text.withUnsafeBufferPointer(ScalarCounts.init)
        firstInvalid = UTF8Text.firstInvalid(in: text).map { [starts, counts] in Self.position(ofByte: $0, in: text, starts, counts) }
    }

    /// How many lines there are; a text that ends with a line break has an empty last one.
    public var count: Int { starts.count }

    /// The text of a line, from 1, without its end; empty for a line that does not exist.
    public subscript(line: Int) -> String {
        String(decoding: text[content(ofLine: line)], as: UTF8.self)
    }

    /// The bytes of a line without its end; none for a line that does not exist.
    private func content(ofLine line: Int) -> Range<Int> {
        guard starts.indices.contains(line - 1) else { return 0..<0 }
        var end = line < starts.count ? starts[line] : text.count
        while end > starts[line - 1], let length = Self.lengthOfBreak(endingAt: end, from: starts[line - 1], in: text) { end -= length }
        return starts[line - 1]..<end
    }

    /// How many Unicode scalars a line has, without its end. Takes no longer for a long line.
    package func scalarCount(ofLine line: Int) -> Int {
        guard firstInvalid == nil else { return self[line].unicodeScalars.count }
        let content = content(ofLine: line)
        return counts.count(before: content.upperBound, in: text) - counts.count(before: content.lowerBound, in: text)
    }

    /// The scalars of a line, without its end, from one to another, both from 0. Takes time in proportion to their number.
    package func scalars(ofLine line: Int, _ part: Range<Int>) -> [Unicode.Scalar] {
        // The signs that stand for what is not UTF-8 are not in the text. Such a text has one problem.
        guard firstInvalid == nil else { return Array(self[line].unicodeScalars.dropFirst(part.lowerBound).prefix(part.count)) }
        let content = content(ofLine: line)
        guard let start = counts.offset(ofScalar: part.lowerBound, within: content, of: text) else { return [] }
        let end = counts.offset(ofScalar: part.count, within: start..<content.upperBound, of: text) ?? content.upperBound
        return Array(String(decoding: text[start..<end], as: UTF8.self).unicodeScalars)
    }

    /// The lines, from 1, in which `word` stands, each once.
    func numbers(ofLinesWith word: String) -> [Int] {
        let word = Array(word.utf8)
        guard let first = word.first, text.count >= word.count else { return [] }
        var numbers: [Int] = []
        var line = 0
        text.withUnsafeBufferPointer { text in
            for index in 0...(text.count - word.count) where text[index] == first {
                guard text[index...].starts(with: word) else { continue }
                while line + 1 < starts.count, starts[line + 1] <= index { line += 1 }
                if numbers.last != line + 1 { numbers.append(line + 1) }
            }
        }
        return numbers
    }

    private static func starts(in text: UnsafeBufferPointer<UInt8>) -> [Int] {
        var starts = [text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0]
        var index = starts[0]
        while index < text.count {
            // Most bytes: no break begins with one of these.
            if text[index] > 0x0D, text[index] < 0xC2 {
                index += 1
                continue
            }
            let length = lengthOfBreak(at: index, in: text)
            index += max(length, 1)
            if length > 0 { starts.append(index) }
        }
        return starts
    }

    private static func lengthOfBreak<Bytes: RandomAccessCollection<UInt8>>(at index: Int, in text: Bytes) -> Int
    where Bytes.Index == Int {
        func byte(_ offset: Int) -> UInt8 { index + offset < text.count ? text[index + offset] : 0 }
        switch text[index] {
        case 0x0A: return 1
        case 0x0D: return byte(1) == 0x0A ? 2 : 1
        case 0xC2 where byte(1) == 0x85: return 2
        case 0xE2 where byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9): return 3
        default: return 0
        }
    }

    private static func lengthOfBreak(endingAt end: Int, from start: Int, in text: [UInt8]) -> Int? {
        for length in [2, 3, 1] where end - length >= start && lengthOfBreak(at: end - length, in: text) == length { return length }
        return nil
    }

    /// The offset of the byte that `position` stands before; nil where the text has no such place. Takes no longer in a long line.
    func byte(at position: TextPosition) -> Int? {
        guard starts.indices.contains(position.line - 1), position.column > 0 else { return nil }
        let end = position.line < starts.count ? starts[position.line] : text.count
        return counts.offset(ofScalar: position.column - 1, within: starts[position.line - 1]..<end, of: text)
    }

    /// The bytes between two places of a line; none where the text has no such places.
    func bytes(in range: TextRange) -> ArraySlice<UInt8> {
        guard let start = byte(at: range.start), let end = byte(at: range.end), start <= end else { return [] }
        return text[start..<end]
    }

    /// The bytes of a line with those that end it, and a byte order mark before the first; none for a line that does not exist.
    package func bytes(ofLine line: Int) -> [UInt8] {
        guard starts.indices.contains(line - 1) else { return [] }
        return Array(text[(line == 1 ? 0 : starts[line - 1])..<(line < starts.count ? starts[line] : text.count)])
    }

    /// The place of the byte at `offset`.
    func position(ofByte offset: Int) -> TextPosition {
        Self.position(ofByte: offset, in: text, starts, counts)
    }

    private static func position(ofByte offset: Int, in text: [UInt8], _ starts: [Int], _ counts: ScalarCounts) -> TextPosition {
        let offset = min(offset, text.count)
        let line = starts.lastIndex { $0 <= offset } ?? 0
        let start = min(starts[line], offset)
        return TextPosition(line: line + 1, column: counts.count(before: offset, in: text) - counts.count(before: start, in: text) + 1)
    }
}
