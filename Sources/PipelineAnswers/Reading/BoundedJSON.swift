/// A JSON text that is made piece by piece, and never becomes larger than may be kept.
struct BoundedJSON {
    private(set) var bytes: [UInt8] = []
    /// The most bytes.
    private let limit: Int
    /// The number of bytes that are there now and will not stay.
    var surplus = 0

    typealias Problem = AnswerFormat.Problem

    /// - Parameter size: about as many bytes as will come.
    init(limit: Int, size: Int = 0) {
        self.limit = limit
        bytes.reserveCapacity(max(0, min(limit, size)))
    }

    @inline(__always)
    private func expect(_ count: Int) throws(Problem) {
        if count > limit - bytes.count + surplus { throw tooLarge }
    }

    private var tooLarge: Problem {
        @inline(never) get { Problem("more than \(limit) bytes as JSON") }
    }

    @inline(__always)
    mutating func add(sign: Unicode.Scalar) throws(Problem) {
        try expect(1)
        bytes.append(UInt8(ascii: sign))
    }

    mutating func add(_ piece: UnsafeBufferPointer<UInt8>) throws(Problem) {
        try expect(piece.count)
        bytes.append(contentsOf: piece)
    }

    mutating func add(_ piece: ArraySlice<UInt8>) throws(Problem) {
        try expect(piece.count)
        bytes += piece
    }

    mutating func add(_ piece: StaticString) throws(Problem) {
        try add(UnsafeBufferPointer(start: piece.utf8Start, count: piece.utf8CodeUnitCount))
    }

    /// Adds text as it stands between the quotes of a string. It must be UTF-8.
    mutating func addEscaped(_ text: UnsafeBufferPointer<UInt8>) throws(Problem) {
        var start = 0
        while true {
            let end = Self.endOfPlain(in: text, from: start)
            try add(UnsafeBufferPointer(rebasing: text[start..<end]))
            if end == text.count { return }
            try addEscape(of: text[end])
            start = end + 1
        }
    }

    /// The place of the first byte from `start` on that a string cannot have as it is; the end if there is none. Looks at eight at a time.
    @inline(__always)
    private static func endOfPlain(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let (ones, highBits): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let (quotes, backslashes) = (ones &* UInt64(UInt8(ascii: "\"")), ones &* UInt64(UInt8(ascii: "\\")))
        var end = start
        while end + 8 <= text.count {
            let word = UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: end, as: UInt64.self)
            // The high bit of each byte that is such a one, and perhaps of some after the first of them.
            let controls = (word &- ones &* 0x20) & ~word
            let (quote, backslash) = (word ^ quotes, word ^ backslashes)
            let found = (controls | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & highBits
            if found != 0 { return end + UInt64(littleEndian: found).trailingZeroBitCount / 8 }
            end += 8
        }
        while end < text.count, text[end] >= 0x20, text[end] != UInt8(ascii: "\""), text[end] != UInt8(ascii: "\\") { end += 1 }
        return end
    }

    /// Adds the text of `bytes` from `start` on, as it stands between quotes.
    mutating func addEscaped(_ bytes: [UInt8], from start: Int) throws(Problem) {
        try bytes.withUnsafeBufferPointer { bytes throws(Problem) in try addEscaped(UnsafeBufferPointer(rebasing: bytes[start...])) }
    }

    @inline(never)
    private mutating func addEscape(of byte: UInt8) throws(Problem) {
        switch byte {
        case UInt8(ascii: "\""): try add("\\\"")
        case UInt8(ascii: "\\"): try add("\\\\")
        case UInt8(ascii: "\n"): try add("\\n")
        case UInt8(ascii: "\r"): try add("\\r")
        case UInt8(ascii: "\t"): try add("\\t")
        default:
            try add(byte < 0x10 ? "\\u000" : "\\u001")
            let digits: StaticString = "0123456789abcdef"
            try add(UnsafeBufferPointer(start: digits.utf8Start + Int(byte & 15), count: 1))
        }
    }

    /// Puts other bytes, not more of them, in the place of those from `start` on.
    mutating func replace(from start: Int, with bytes: [UInt8]) {
        self.bytes.replaceSubrange(start..., with: bytes)
    }
}
