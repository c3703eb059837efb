/// Percent-encoding of UTF-8 bytes (RFC 3986, section 2.1) for one kind of place.
package struct PercentEncoding: Sendable {
    /// A bit for each byte below 64 that is kept, and for each from there to 127.
    private let kept: (low: UInt64, high: UInt64)
    private let hidesDots: Bool

    /// Keeps RFC 3986's unreserved characters; all of a value of dots alone is encoded, since `.` and `..` are path steps.
    package static let url = PercentEncoding(keeping: unreserved, hidesDots: true)

    /// A value as one file name: like ``url``, without `~`; a leading dot is encoded, so that no name is hidden or a step upwards.
    package static let fileName = PercentEncoding(keeping: unreserved.filter { $0 != "~" }, hidesDots: true)

    /// A relative or absolute path as a URI has it: its `/` and dots stay.
    package static let path = PercentEncoding(keeping: unreserved + "/", hidesDots: false)

    private static let unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"

    private init(keeping kept: String, hidesDots: Bool) {
        self.hidesDots = hidesDots
        self.kept = kept.utf8.reduce(into: (low: 0, high: 0)) { bits, byte in
            if byte < 64 { bits.low |= 1 << UInt64(byte) } else { bits.high |= 1 << UInt64(byte - 64) }
        }
    }

    private func keeps(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? kept.low : kept.high) >> UInt64(byte & 63) & 1 == 1
    }

    /// The text with every byte encoded that could mean something in its place.
    package func encoded(_ text: String) -> String {
        keepsAll(of: text) ? text : encodedByteByByte(text)
    }

    /// Whether the text is encoded as itself.
    private func keepsAll(of text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            if hidesDots, bytes.first == UInt8(ascii: ".") { return false }
            return bytes.allSatisfy { keeps($0) }
        }
    }

    /// Copies `bytes` to `room` from `start` on. False when they are not encoded as themselves.
    func copy(_ bytes: UnsafeBufferPointer<UInt8>, to room: UnsafeMutableBufferPointer<UInt8>, at start: Int) -> Bool {
        if hidesDots, bytes.first == UInt8(ascii: ".") { return false }
        var keepsAll = true
        for index in bytes.indices {
            keepsAll = keepsAll && keeps(bytes[index])
            room[start + index] = bytes[index]
        }
        return keepsAll
    }

    private func encodedByteByByte(_ text: String) -> String {
        var result = ""
        var isLeading = hidesDots
        for byte in text.utf8 {
            if keeps(byte), !(isLeading && byte == UInt8(ascii: ".")) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
                isLeading = false
            } else {
                result += "%"
                result.unicodeScalars.append(Self.digit(byte >> 4))
                result.unicodeScalars.append(Self.digit(byte & 15))
                isLeading = isLeading && byte == UInt8(ascii: ".")
            }
        }
        return result
    }

    private static func digit(_ value: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10)
    }
}

extension PercentEncoding {
    /// The text that was percent-encoded: each `%` and its two digits, of either case, are the byte that they name, also `%00`.
    ///
    /// - Parameter plusIsSpace: as in the query of a form.
    /// - Returns: nil if an escape is cut short or has other digits, or the bytes are not UTF-8.
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
