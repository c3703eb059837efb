/// Percent-encoding of UTF-8 bytes (RFC 3986, section 2.1) for one kind of place.
package struct PercentEncoding: Sendable {
    /// A bit for each byte below 64 that is kept, and for each from there to 127.
    private let kept: (low: UInt64, high: UInt64)
    private let hidesDots: Bool

    /// Keeps RFC 3986's unreserved characters; a value of dots alone is encoded whole, since `.` and `..` are path steps.
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
