/// Text as it may stand in XML 1.0.
enum XMLText {
    /// `text` for an attribute in double quotes or for content. Characters that XML has no way to write become `\u{FFFD}`.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // As they are, a reader would make spaces of them in an attribute, and a line feed of a carriage return anywhere.
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case _ where isForbidden(scalar): result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Section 2.2; the control characters after DEL are allowed, and obeyed by terminals.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0xFFFE, 0xFFFF: true
        default: false
        }
    }
}
