internal import Pipeline

/// How a value is written into a path, so that it stays in its place and different values never give one path.
///
/// A value is percent-encoded to letters, digits, `-`, `.`, `_` and escapes. What no encoding gives marks the rest: an empty value
/// is `%`, a long one is laid out over folders whose names end in `%`, and `%+` ends a value where nothing else would.
struct PathValue {
    /// How one sees where a value ends.
    enum Ending {
        /// Nothing but fixed text follows.
        case tail
        /// The text after it begins with this byte, which is escaped in the value.
        case byte(UInt8)
        /// `%+`
        case marker
    }

    /// A longer name is laid out over folders: common file systems take 255 bytes, and a suffix follows.
    private static let longestName = 200

    /// The encoded value, not laid out.
    let text: String
    private let ending: Ending

    /// `value`, or the text of a whole key, which is encoded already.
    init(_ value: String, isKey: Bool = false, ending: Ending) {
        self.ending = ending
        let encoded = isKey ? value : PercentEncoding.fileName.encoded(value)
        guard case .byte(let byte) = ending, encoded.utf8.contains(byte) else {
            text = encoded
            return
        }
        let scalar = String(Unicode.Scalar(byte))
        text = encoded.split(separator: Character(scalar), omittingEmptySubsequences: false)
            .joined(separator: "%" + String(byte, radix: 16, uppercase: true))
    }

    /// Writes the value at the end of `path`.
    func append(to path: inout String) {
        if text.isEmpty {
            path += "%"
        } else {
            layOut(at: path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.count, in: &path)
        }
        if case .marker = ending { path += "%+" }
    }

    /// Cuts the text where a name gets too long; `column` bytes of the first one are taken.
    private func layOut(at column: Int, in path: inout String) {
        var rest = text.utf8[...]
        var room = max(1, Self.longestName - column)
        while rest.count > room {
            var end = rest.index(rest.startIndex, offsetBy: room)
            // An escape stays whole.
            for _ in 0..<2 where end > rest.startIndex && rest[..<end].suffix(2).contains(UInt8(ascii: "%")) {
                rest.formIndex(before: &end)
            }
            if end == rest.startIndex { rest.formIndex(&end, offsetBy: 3) }
            guard end < rest.endIndex else { break }
            path += String(Substring(rest[..<end])) + "%/"
            rest = rest[end...]
            room = Self.longestName
        }
        path += String(Substring(rest))
    }
}

extension PathValue.Ending {
    /// The ending of a value after which `literal` stands (nil for another value), and some value after that.
    init(before literal: String?, isKey: Bool) {
        // These stand within escapes, the last two in a key as they are.
        let ambiguous = "%0123456789ABCDEFabcdef" + (isKey ? ",=" : "")
        if let byte = literal?.utf8.first, !ambiguous.utf8.contains(byte) {
            self = .byte(byte)
        } else {
            self = .marker
        }
    }
}
