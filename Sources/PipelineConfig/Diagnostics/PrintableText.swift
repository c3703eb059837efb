internal import Pipeline

extension String {
    /// The text on one line, without what a terminal would obey: control characters become `\u{FFFD}`.
    ///
    /// Names and reasons come from files, arguments and servers.
    package var printable: String {
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars { scalars.append(scalar.isObeyedByTerminals ? "\u{FFFD}" : scalar) }
        return String(scalars)
    }
}

/// Text as it may stand in XML 1.0.
package enum XMLText {
    /// `text` for an attribute or for content: never markup. Characters that XML has no way to write become `\u{FFFD}`.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // As they are, a reader would make spaces of them in an attribute, and a line feed of a carriage return anywhere.
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            // Section 2.2 allows these; terminals obey them.
            case "\u{7F}"..."\u{9F}": result += "&#\(scalar.value);"
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
    /// `text` for content in which lines stay lines, for people who read the report itself.
    package static func lines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) }.joined(separator: "\n")
    }
}
