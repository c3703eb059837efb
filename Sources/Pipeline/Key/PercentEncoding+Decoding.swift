extension PercentEncoding {
    /// The text that was percent-encoded: each `%` and its two digits, of either case, are the byte that they name, also `%00`.
    ///
    /// - Parameter plusIsSpace: as in the query of a form.
    /// - Returns: nil where an escape is cut short or has other digits, or the bytes are not UTF-8.
    package static func decoded(_ encoded: Substring.UTF8View, plusIsSpace: Bool = false) -> String? {
        bytes(of: encoded, plusIsSpace: plusIsSpace, brokenIsText: false).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The text of what people write by hand, as a password in a URL: a `%` without its two digits is text, and where the bytes are not
    /// UTF-8, there is U+FFFD.
    package static func leniently(decoded encoded: Substring.UTF8View) -> String {
        String(decoding: bytes(of: encoded, plusIsSpace: false, brokenIsText: true) ?? [], as: UTF8.self)
    }

    private static func bytes(of encoded: Substring.UTF8View, plusIsSpace: Bool, brokenIsText: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = encoded
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                if let value = value(of: rest.prefix(2)) {
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                } else if brokenIsText {
                    bytes.append(byte)
                } else {
                    return nil
                }
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// The byte that two digits name; a sign is no digit.
    private static func value(of digits: Substring.UTF8View) -> UInt8? {
        guard digits.count == 2, let high = digits.first.flatMap(number), let low = digits.last.flatMap(number) else { return nil }
        return high << 4 | low
    }

    private static func number(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
