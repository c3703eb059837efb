internal import PipelineConfig

/// The lines of a text, counted as libyaml counts them: LF, CR, CRLF, NEL, LS and PS end a line.
public struct SourceLines: Sendable {
    private let text: [UInt8]
    private let starts: [Int]
    /// The place of the first byte that is not UTF-8; nil when the text is.
    let firstInvalid: TextPosition?

    init(_ text: [UInt8]) {
        self.text = text
        starts = text.withUnsafeBufferPointer(Self.starts)
        firstInvalid = Self.firstInvalid(in: text, starts: starts)
    }

    /// How many lines there are; a text that ends with a line break has an empty last one.
    public var count: Int { starts.count }

    /// The text of a line, from 1, without its end; empty for a line that does not exist.
    public subscript(line: Int) -> String {
        guard starts.indices.contains(line - 1) else { return "" }
        var end = line < starts.count ? starts[line] : text.count
        while end > starts[line - 1], let length = Self.lengthOfBreak(endingAt: end, from: starts[line - 1], in: text) { end -= length }
        return String(decoding: text[starts[line - 1]..<end], as: UTF8.self)
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

    private static func firstInvalid(in text: [UInt8], starts: [Int]) -> TextPosition? {
        UTF8Text.firstInvalid(in: text).map { position(ofByte: $0, in: text, starts: starts) }
    }

    /// The offset of the byte that `position` stands before; nil where the text has no such place.
    func byte(at position: TextPosition) -> Int? {
        guard starts.indices.contains(position.line - 1), position.column > 0 else { return nil }
        var index = starts[position.line - 1]
        let end = position.line < starts.count ? starts[position.line] : text.count
        for _ in 1..<position.column {
            guard index < end else { return nil }
            index += 1
            while index < end, text[index] & 0xC0 == 0x80 { index += 1 }
        }
        return index
    }

    /// The bytes of a line with those that end it, and a byte order mark before the first; none for a line that does not exist.
    package func bytes(ofLine line: Int) -> [UInt8] {
        guard starts.indices.contains(line - 1) else { return [] }
        return Array(text[(line == 1 ? 0 : starts[line - 1])..<(line < starts.count ? starts[line] : text.count)])
    }

    /// The place of the byte at `offset`.
    func position(ofByte offset: Int) -> TextPosition {
        Self.position(ofByte: offset, in: text, starts: starts)
    }

    private static func position(ofByte offset: Int, in text: [UInt8], starts: [Int]) -> TextPosition {
        let offset = min(offset, text.count)
        let line = starts.lastIndex { $0 <= offset } ?? 0
        let column = String(decoding: text[min(starts[line], offset)..<offset], as: UTF8.self).unicodeScalars.count
        return TextPosition(line: line + 1, column: column + 1)
    }
}
