/// A scanner over the bytes of a JSON text (RFC 8259). It builds no tree.
public struct JSONScanner {
    /// A problem of a text that is no JSON.
    public struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        /// The problem in words: `expected a value`.
        public let message: String
        /// The offset of the byte where it was noticed.
        public let offset: Int

        /// The message and where.
        public var description: String { "\(message) at byte \(offset)" }

        init(message: String, offset: Int) { (self.message, self.offset) = (message, offset) }

        /// A problem of a text as a whole.
        package init(_ message: String) { self.init(message: message, offset: 0) }
    }

    /// The deepest nesting of arrays and objects that is read.
    public static let maximumDepth = 512

    let bytes: UnsafeBufferPointer<UInt8>
    var index = 0

    /// The reason why `payload` is not one JSON value; nil if it is.
    public static func problem(of payload: [UInt8]) -> Problem? {
        payload.withUnsafeBufferPointer { bytes -> Problem? in
            var scanner = JSONScanner(bytes)
            do throws(Problem) {
                try scanner.skipDocument()
                return nil
            } catch {
                return error
            }
        }
    }

    /// The ranges of the elements of an array, each without the white space around it; nil if `payload` is no array.
    public static func elements(of payload: [UInt8]) throws(Problem) -> [Range<Int>]? {
        try payload.withUnsafeBufferPointer { bytes throws(Problem) in
            var scanner = JSONScanner(bytes)
            scanner.skipSpace()
            guard scanner.peek == UInt8(ascii: "[") else { return nil }
            scanner.index += 1
            var ranges: [Range<Int>] = []
            scanner.skipSpace()
            if scanner.peek != UInt8(ascii: "]") {
                repeat {
                    scanner.skipSpace()
                    let start = scanner.index
                    try scanner.skipValue()
                    ranges.append(start..<scanner.index)
                    scanner.skipSpace()
                } while scanner.take(UInt8(ascii: ","))
            }
            guard scanner.take(UInt8(ascii: "]")) else { throw scanner.problem("expected `,` or `]`") }
            try scanner.expectEnd()
            return ranges
        }
    }

    /// The JSON text of `payload` without the white space between its tokens: on one line.
    public static func compacted(_ payload: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(payload.count)
        var isInString = false
        var isEscaped = false
        for byte in payload {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                result.append(byte)
            } else if !isSpace(byte) {
                isInString = byte == UInt8(ascii: "\"")
                result.append(byte)
            }
        }
        return result
    }

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }
}

extension JSONScanner {
    var peek: UInt8? { byte(at: index) }

    /// The byte at `index`; nil behind the last one.
    @inline(__always)
    func byte(at index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

    /// - Parameter place: where it was noticed; nil for where the scanner is.
    @inline(never)
    func problem(_ message: String, at place: Int? = nil) -> Problem {
        let offset = place ?? index
        return Problem(message: offset < bytes.count ? message : "the text ends too early: \(message)", offset: offset)
    }

    @inline(never)
    func tooDeep(at place: Int) -> Problem { problem("nested deeper than \(Self.maximumDepth)", at: place) }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// The end of the white space that may be at `start`.
    @inline(__always)
    func endOfSpace(at start: Int) -> Int {
        var end = start
        while end < bytes.count, Self.isSpace(bytes[end]) { end += 1 }
        return end
    }

    @inline(__always)
    mutating func skipSpace() { index = endOfSpace(at: index) }

    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipDocument() throws(Problem) {
        skipSpace()
        try skipValue()
        try expectEnd()
    }

    private mutating func expectEnd() throws(Problem) {
        skipSpace()
        if index < bytes.count { throw problem("something follows the value") }
    }

    /// Skips one value, and what is nested in it, without recursion.
    mutating func skipValue() throws(Problem) {
        guard isAtContainer else { return try skipScalar() }
        var closers = Closers()
        while true {
            if isAtContainer {
                if try opened(&closers) { continue }
            } else {
                try skipScalar()
            }
            guard try !closed(&closers) else { return }
        }
    }

    /// Indicates whether an array or object begins here.
    var isAtContainer: Bool { peek == UInt8(ascii: "{") || peek == UInt8(ascii: "[") }

    @inline(__always)
    private mutating func skipScalar() throws(Problem) {
        switch peek {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try skipWord("true")
        case UInt8(ascii: "f"): try skipWord("false")
        case UInt8(ascii: "n"): try skipWord("null")
        default: try skipNumber()
        }
    }

    /// Enters an array or object; false when it is empty and thereby complete.
    private mutating func opened(_ closers: inout Closers) throws(Problem) -> Bool {
        guard closers.count < Self.maximumDepth else { throw tooDeep(at: index) }
        let closer = bytes[index] == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")
        index += 1
        skipSpace()
        if take(closer) { return false }
        closers.append(closer)
        if closer == UInt8(ascii: "}") { try skipName() }
        return true
    }

    /// Ends what a value completes, up to the next element. True when the outermost value is complete.
    private mutating func closed(_ closers: inout Closers) throws(Problem) -> Bool {
        while let closer = closers.last {
            skipSpace()
            if take(UInt8(ascii: ",")) {
                skipSpace()
                if closer == UInt8(ascii: "}") { try skipName() }
                return false
            }
            guard take(closer) else { throw problem("expected `,` or `\(Character(Unicode.Scalar(closer)))`") }
            closers.removeLast()
        }
        return true
    }

    /// The signs that close the arrays and objects around a value, the innermost last: a bit for each.
    private struct Closers {
        private(set) var count = 0
        private var bits: UInt64 = 0
        /// The bits of those beyond the innermost, 64 at a time.
        private var outer: [UInt64] = []

        var last: UInt8? { count == 0 ? nil : UInt8(ascii: bits & 1 == 1 ? "}" : "]") }

        mutating func append(_ closer: UInt8) {
            if count > 0, count & 63 == 0 { outer.append(bits) }
            bits = bits << 1 | (closer == UInt8(ascii: "}") ? 1 : 0)
            count += 1
        }

        mutating func removeLast() {
            count -= 1
            bits >>= 1
            if count > 0, count & 63 == 0 { bits = outer.removeLast() }
        }
    }

    private mutating func skipName() throws(Problem) {
        guard peek == UInt8(ascii: "\"") else { throw problem("expected a name in quotes") }
        try skipString()
        skipSpace()
        guard take(UInt8(ascii: ":")) else { throw problem("expected `:`") }
        skipSpace()
    }

    mutating func skipString() throws(Problem) {
        index += 1
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return
            case UInt8(ascii: "\\"): try skipEscape()
            case 0..<0x20: throw problem("a control character in a string")
            case 0x20..<0x80: index += 1
            default:
                guard let length = UTF8Scanner.lengthOfCharacter(at: index, in: bytes) else { throw problem("a string that is not UTF-8") }
                index += length
            }
        }
        throw problem("expected the end of a string")
    }

    private mutating func skipEscape() throws(Problem) {
        index += 1
        switch peek {
        case UInt8(ascii: "u"):
            index += 1
            for _ in 0..<4 {
                guard let digit = peek, Character(Unicode.Scalar(digit)).isHexDigit else {
                    throw problem("expected four hexadecimal digits")
                }
                index += 1
            }
        case .some(let byte) where "\"\\/bfnrt".utf8.contains(byte): index += 1
        default: throw problem("an unknown escape in a string")
        }
    }

    private mutating func skipWord(_ word: StaticString) throws(Problem) {
        let start = index
        for offset in 0..<word.utf8CodeUnitCount {
            guard start + offset < bytes.count, bytes[start + offset] == word.utf8Start[offset] else { throw problem("expected a value") }
        }
        index += word.utf8CodeUnitCount
    }

    private mutating func skipNumber() throws(Problem) {
        let hasSign = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) {
            guard skipDigits() else { throw problem(hasSign ? "expected a digit" : "expected a value") }
        }
        if take(UInt8(ascii: ".")) {
            guard skipDigits() else { throw problem("expected a digit") }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard skipDigits() else { throw problem("expected a digit") }
        }
    }

    private mutating func skipDigits() -> Bool {
        let start = index
        while index < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[index] { index += 1 }
        return index > start
    }
}
