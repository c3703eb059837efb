internal import Pipeline
internal import PipelineJSON

/// Rows of values with commas between them (RFC 4180), read as Python's `csv` reads them where that is strict.
///
/// Beyond the RFC a line may end with LF or CR alone, an empty line is none, and a quotation mark within a value that does not begin with one
/// is itself.
struct CSVReader {
    private typealias Problem = AnswerFormat.Problem

    private let text: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var line = 1

    /// The list of an object for each row below the first.
    static func json(of text: [UInt8], limit: Int) throws(AnswerFormat.Problem) -> [UInt8] {
        try text.withUnsafeBufferPointer { text throws(Problem) in
            if let place = UTF8Scanner.firstInvalid(in: text) {
                throw Problem("a byte that is not UTF-8", line: AnswerFormat.line(after: text[..<place]))
            }
            var reader = CSVReader(text: text)
            return try reader.rows(limit: limit)
        }
    }

    private init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

    private mutating func rows(limit: Int) throws(Problem) -> [UInt8] {
        var json = BoundedJSON(limit: limit, size: text.count)
        let names = try header(limit: limit)
        try json.add(sign: "[")
        while skipEmptyLines() {
            if json.bytes.count > 1 { try json.add(sign: ",") }
            let start = line
            var count = 0
            repeat {
                guard count < names.count else { throw Problem("more values than the \(names.count) names of the header", line: start) }
                if count == 0 { try json.add(sign: "{") }
                try json.add(names.label(count).dropFirst(count == 0 ? 1 : 0))
                try addValue(to: &json)
                try json.add(sign: "\"")
                count += 1
            } while take(",")
            guard count == names.count else { throw Problem("\(count) of \(names.count) values", line: start) }
            try json.add(sign: "}")
            skipLineEnd()
        }
        try json.add(sign: "]")
        return json.bytes
    }

    /// The names, numbered in their order; none for an empty text.
    private mutating func header(limit: Int) throws(Problem) -> NameTable {
        var names = NameTable(ending: "\":\"")
        guard skipEmptyLines() else { return names }
        repeat {
            let (start, count) = (line, names.count)
            var name = BoundedJSON(limit: limit)
            try addValue(to: &name)
            let number = try name.bytes.withUnsafeBufferPointer { name throws(Problem) in try names.number(of: name) }
            if number < count {
                throw Problem("the name `\(String(decoding: name.bytes, as: UTF8.self).shortened)` occurs twice", line: start)
            }
        } while take(",")
        skipLineEnd()
        return names
    }
}

extension CSVReader {
    private var peek: UInt8? { index < text.count ? text[index] : nil }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: byte) else { return false }
        index += 1
        return true
    }

    @inline(__always)
    private static func endsLine(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    /// Skips what ends a line, if that is here.
    private mutating func skipLineEnd() {
        let isEnd = take("\r")
        if take("\n") || isEnd { line += 1 }
    }

    /// Goes to the next row; false at the end of the text.
    private mutating func skipEmptyLines() -> Bool {
        while let byte = peek, Self.endsLine(byte) { skipLineEnd() }
        return index < text.count
    }

    private mutating func addValue(to json: inout BoundedJSON) throws(Problem) {
        if peek == UInt8(ascii: "\"") { return try addQuotedValue(to: &json) }
        let start = index
        while index < text.count, text[index] != UInt8(ascii: ","), !Self.endsLine(text[index]) { index += 1 }
        try json.addEscaped(UnsafeBufferPointer(rebasing: text[start..<index]))
    }

    private mutating func addQuotedValue(to json: inout BoundedJSON) throws(Problem) {
        let first = line
        let quote = UInt8(ascii: "\"")
        var start = index + 1
        repeat {
            index += 1
            while index < text.count, text[index] != quote {
                if text[index] == UInt8(ascii: "\n") || text[index] == UInt8(ascii: "\r") && !isFollowedByLineFeed { line += 1 }
                index += 1
            }
            guard index < text.count else { throw Problem("a quotation mark that is not closed", line: first) }
            try json.addEscaped(UnsafeBufferPointer(rebasing: text[start..<index]))
            index += 1
            // Two stand for one, with which the next piece begins.
            start = index
        } while peek == quote
        if let byte = peek, byte != UInt8(ascii: ","), !Self.endsLine(byte) {
            throw Problem("something follows a closing quotation mark", line: line)
        }
    }

    private var isFollowedByLineFeed: Bool { index + 1 < text.count && text[index + 1] == UInt8(ascii: "\n") }
}
