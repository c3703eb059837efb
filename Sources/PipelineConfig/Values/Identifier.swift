/// The spelling of variables and parameters: a letter or `_`, then letters, digits and `_`.
package enum Identifier {
    /// The same as a regular expression.
    package static let pattern = "[A-Za-z_][A-Za-z0-9_]*"

    package static func isValid(_ text: some StringProtocol) -> Bool {
        var isFirst = true
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9") where !isFirst: break
            default: return false
            }
            isFirst = false
        }
        return !isFirst
    }

    /// Whether `scalar` can stand in such a name after its first character.
    static func canContain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}
