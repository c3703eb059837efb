/// Ways over values of a text that was checked before: where they end. In another text they may end anywhere, but within it.
///
/// They do not move the scanner: a number that is handed on stays in a register, while an index that is kept would be read and written for
/// each step.
extension JSONScanner {
    @inline(__always)
    func endOfCheckedValue(at start: Int) throws(Problem) -> Int {
        switch byte(at: start) {
        case UInt8(ascii: "\""): try endOfCheckedString(at: start).end
        case UInt8(ascii: "{"), UInt8(ascii: "["): try endOfCheckedContainer(at: start)
        default: try endOfCheckedScalar(at: start)
        }
    }

    /// A number, or `true`, `false`, `null`.
    @inline(__always)
    private func endOfCheckedScalar(at start: Int) throws(Problem) -> Int {
        var end = start
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let signsAndDigits = UInt8(ascii: "+")...UInt8(ascii: "9")
        while end < bytes.count {
            let byte = bytes[end]
            // Of what lies between sign and digit, a comma alone ends a number, and the slash is in none.
            guard signsAndDigits ~= byte && byte != UInt8(ascii: ",") || letters ~= byte || byte == UInt8(ascii: "E") else { break }
            end += 1
        }
        if end == start { throw problem("expected a value", at: start) }
        return end
    }

    private func endOfCheckedContainer(at start: Int) throws(Problem) -> Int {
        var (depth, end) = (0, start)
        while end < bytes.count {
            switch bytes[end] {
            case UInt8(ascii: "\""):
                end = try endOfCheckedString(at: end).end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            end += 1
            if depth == 0 { return end }
        }
        throw problem("expected the end of an array or object", at: end)
    }

    /// Goes eight bytes at a time to the quotation mark at the end.
    @inline(__always)
    func endOfCheckedString(at start: Int) throws(Problem) -> (end: Int, hasEscape: Bool) {
        var (end, hasEscape) = (start + 1, false)
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
            guard end < bytes.count else { throw problem("expected the end of a string", at: end) }
            switch bytes[end] {
            case UInt8(ascii: "\""): return (end + 1, hasEscape)
            case UInt8(ascii: "\\"):
                end += 2
                hasEscape = true
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
