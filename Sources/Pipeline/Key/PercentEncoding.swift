/// Percent-encoding of UTF-8 bytes (RFC 3986, section 2.1) for one kind of place.
package struct PercentEncoding: Sendable {
    private let keeps: @Sendable (UInt8) -> Bool
    private let hidesDots: Bool

    /// Keeps RFC 3986's unreserved characters; a value of dots alone is encoded whole, since `.` and `..` are path steps.
    package static let url = PercentEncoding(keeps: isUnreserved, hidesDots: true)

    /// A value as one file name: like ``url``, without `~`; a leading dot is encoded, so that no name is hidden or a step upwards.
    package static let fileName = PercentEncoding(keeps: { isUnreserved($0) && $0 != UInt8(ascii: "~") }, hidesDots: true)

    /// A relative or absolute path as a URI has it: its `/` and dots stay.
    package static let path = PercentEncoding(keeps: { isUnreserved($0) || $0 == UInt8(ascii: "/") }, hidesDots: false)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// The text with every byte encoded that could mean something in its place.
    package func encoded(_ text: String) -> String {
        var bytes = text.utf8.makeIterator()
        var result = ""
        var isLeading = hidesDots
        while let byte = bytes.next() {
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
