internal import PipelineConfig

/// The lines of a text, counted as libyaml counts them: LF, CR, CRLF, NEL, LS and PS end a line.
public struct SourceLines: Sendable {
    private let text: [UInt8]
    private let starts: [Int]
    private let counts: ScalarCounts
    /// The place of the first byte that is not UTF-8; nil if the text is.
    let firstInvalid: TextPosition?

    init(_ text: [UInt8]) {
        self.text = text
        starts = text.withUnsafeBufferPointer(Self.starts)
        counts = text.withUnsafeBufferPointer(ScalarCounts.init)
        firstInvalid = UTF8Text.firstInvalid(in: text).map { [starts, counts] in Self.position(ofByte: $0, in: text, starts, counts) }
    }

    /// The number of lines; a text that ends with a line break has an empty last one.
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

    /// The number of Unicode scalars of a line, without its end. Takes no longer for a long line.
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

    /// The offset of the byte that `position` stands before; nil if the text has no such place. Takes no longer in a long line.
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

extension SourceLines {
    /// The indentation of the lines of a block scalar whose `|` stands at `start`; nil for one that is folded (`>`), or that has no text.
    func indent(ofBlock text: String, at start: TextPosition) -> Int? {
        guard scalars(ofLine: start.line, (start.column - 1)..<start.column) == ["|"] else { return nil }
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        guard let index = lines.firstIndex(where: { !$0.isEmpty }) else { return nil }
        return max(0, scalarCount(ofLine: start.line + 1 + index) - lines[index].count)
    }
}

extension SourceLines {
    /// The place of a scalar without the anchor and the tag before it, where they stand on its line. Takes time in proportion to the scalar.
    func withoutProperties(_ range: TextRange) -> TextRange {
        guard range.start.line == range.end.line else { return range }
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var rest = bytes(in: range)
        while let first = rest.first, first == UInt8(ascii: "&") || first == UInt8(ascii: "!") {
            rest = rest.drop { !isBlank($0) }.drop(while: isBlank)
        }
        let left = rest.count { $0 & 0xC0 != 0x80 }
        return TextRange(TextPosition(line: range.start.line, column: range.end.column - left), range.end)
    }
}

/// The numbers of Unicode scalars of a UTF-8 text that begin before some of its bytes, so that a place is found without a walk from the
/// beginning of its line: a file may be one line, with very many places in it.
struct ScalarCounts: Sendable {
    /// The bytes between two counts, and the most that a search walks over: the counts take a 32nd of the memory of the text.
    static let step = 256

    /// The scalars that begin before each byte with a number that is a multiple of ``step``.
    private let counts: [Int]

    init(_ text: UnsafeBufferPointer<UInt8>) {
        var counts: [Int] = []
        counts.reserveCapacity(text.count / Self.step + 1)
        var count = 0
        for start in stride(from: 0, through: text.count, by: Self.step) {
            counts.append(count)
            for index in start..<min(start + Self.step, text.count) where Self.beginsScalar(text[index]) { count += 1 }
        }
        self.counts = counts
    }

    /// The number of scalars of `text` that begin before the byte at `offset`.
    func count(before offset: Int, in text: [UInt8]) -> Int {
        let sample = offset / Self.step
        var count = counts[sample]
        for index in (sample * Self.step)..<offset where Self.beginsScalar(text[index]) { count += 1 }
        return count
    }

    /// The offset of the byte within `bytes` of `text` that has `count` scalars between it and their beginning; nil if there are fewer.
    func offset(ofScalar count: Int, within bytes: Range<Int>, of text: [UInt8]) -> Int? {
        var (index, left) = (bytes.lowerBound, count)
        if count > Self.step {
            let wanted = self.count(before: bytes.lowerBound, in: text) + count
            let sample = lastSample(notAfter: wanted)
            if sample * Self.step > index { (index, left) = (sample * Self.step, wanted - counts[sample]) }
        }
        while index < bytes.upperBound {
            if Self.beginsScalar(text[index]) {
                guard left > 0 else { return index }
                left -= 1
            }
            index += 1
        }
        return left == 0 ? bytes.upperBound : nil
    }

    private func lastSample(notAfter count: Int) -> Int {
        var (low, high) = (0, counts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if counts[middle] <= count { low = middle } else { high = middle }
        }
        return low
    }

    private static func beginsScalar(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }
}

/// The lines of a scalar that goes on over lines: white space in them, and at their ends, may be part of it.
struct ScalarLines {
    let lines: Range<Int>
    /// Indicates whether it stands after `|` or `>`, so that empty lines at its end are mostly none of its text.
    let isBlock: Bool

    init(_ range: TextRange, _ style: YAMLParser.Event.ScalarStyle) {
        isBlock = style == .block
        let afterLast = isBlock && range.end.column > 1 ? range.end.line + 1 : range.end.line
        let first = isBlock ? range.start.line + 1 : range.start.line
        lines = first..<max(first, afterLast)
    }
}
