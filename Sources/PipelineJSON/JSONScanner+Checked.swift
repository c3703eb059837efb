/// Ways over values of a text that was checked before. In another text they may end anywhere, but within it.
extension JSONScanner {
    @inline(__always)
    mutating func skipCheckedValue() throws(Problem) {
        switch peek {
        case UInt8(ascii: "\""): try skipCheckedString()
        case UInt8(ascii: "{"), UInt8(ascii: "["): try skipCheckedContainer()
        default: try skipCheckedScalar()
        }
    }

    /// A number, or `true`, `false`, `null`.
    @inline(__always)
    private mutating func skipCheckedScalar() throws(Problem) {
        // Counted here, and not in the scanner: that would be read and written for each byte.
        var end = index
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let signsAndDigits = UInt8(ascii: "+")...UInt8(ascii: "9")
        while end < bytes.count {
            let byte = bytes[end]
            // Of what lies between sign and digit, a comma alone ends a number, and the slash is in none.
            guard signsAndDigits ~= byte && byte != UInt8(ascii: ",") || letters ~= byte || byte == UInt8(ascii: "E") else { break }
            end += 1
        }
        if end == index { throw problem("expected a value") }
        index = end
    }

    private mutating func skipCheckedContainer() throws(Problem) {
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                try skipCheckedString()
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
            if depth == 0 { return }
        }
        throw problem("expected the end of an array or object")
    }

    /// Goes eight bytes at a time to the quotation mark at the end.
    @inline(__always)
    mutating func skipCheckedString() throws(Problem) {
        var end = index + 1
        while true {
            while end + 8 <= bytes.count {
                let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: end, as: UInt64.self)
                let found = Self.zeros(word ^ Self.quotationMarks) | Self.zeros(word ^ Self.backslashes)
                if found != 0 {
                    end += UInt64(littleEndian: found).trailingZeroBitCount / 8
                    break
                }
                end += 8
            }
            guard end < bytes.count else {
                index = end
                throw problem("expected the end of a string")
            }
            switch bytes[end] {
            case UInt8(ascii: "\""):
                index = end + 1
                return
            case UInt8(ascii: "\\"):
                end += 2
                sawEscape = true
            default: end += 1
            }
        }
    }

    private static var quotationMarks: UInt64 { 0x0101_0101_0101_0101 &* UInt64(UInt8(ascii: "\"")) }
    private static var backslashes: UInt64 { 0x0101_0101_0101_0101 &* UInt64(UInt8(ascii: "\\")) }

    /// The high bit of each byte that is zero, and perhaps of some after the first of them.
    @inline(__always)
    private static func zeros(_ word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 }
}
