internal import Pipeline
internal import PipelineConfig

/// Texts as YAML scalars that are read as the same text again, whatever is in them.
enum YAMLScalar {
    /// A longer key cannot stand before a `:` on its line (YAML 1.1, section 4.1.1).
    static let longestKey = 900

    static func written(_ scalar: EffectiveValue.Scalar) -> String {
        scalar.mustBePlain || isSafe(scalar.text) ? scalar.text : quoted(scalar.text)
    }

    static func written(key: String) -> String { isSafe(key) ? key : quoted(key) }

    /// Whether the text can stand without quotes, and nobody takes it for anything but text: not for a number, a bool, nothing, a date.
    private static func isSafe(_ text: String) -> Bool {
        guard text.utf8.count <= 200, let first = text.unicodeScalars.first,
            isLetter(first) || first == "/" || isDottedPath(text) || isQuantity(text)
        else { return false }
        var previous = first
        for scalar in text.unicodeScalars.dropFirst() {
            switch scalar {
            case _ where isLetter(scalar) || isDigit(scalar): break
            case "_", ".", "/", "{", "}", "+", "%", "=", "@", "~", "?", "&", "-", "$": break
            case ":", " ": break
            default: return false
            }
            // A space after a colon or a second space would be read as structure, or be lost.
            if scalar == " ", previous == " " || previous == ":" { return false }
            previous = scalar
        }
        return previous != ":" && previous != " " && !words.contains(text.lowercased())
    }

    /// Words that some reader of YAML takes for something else.
    private static let words: Set<String> = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]

    /// `.cache/{key}.json`, but not `.5`, `.inf`, `.nan`.
    private static func isDottedPath(_ text: String) -> Bool {
        text.hasPrefix(".") && text.contains("/") && text.unicodeScalars.dropFirst().first.map { !isDigit($0) } == true
    }

    /// `30s`, `1h30m`, `64MiB`, `80%`: digits with a unit that no number has.
    private static func isQuantity(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, isDigit(first) else { return false }
        let isMade = text.unicodeScalars.allSatisfy { isLetter($0) || isDigit($0) || $0 == "." || $0 == "%" }
        let letters = text.unicodeScalars.filter { !isDigit($0) && $0 != "." }
        return isMade && !letters.isEmpty && !["e", "x", "o", "b", "_"].contains(String(String.UnicodeScalarView(letters)).lowercased())
            && !text.lowercased().hasPrefix("0x") && !text.lowercased().hasPrefix("0o") && !text.lowercased().hasPrefix("0b")
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { "a"..."z" ~= scalar || "A"..."Z" ~= scalar }
    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { "0"..."9" ~= scalar }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where mustBeEscaped(scalar): result += escaped(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// What YAML does not take, takes for a line break, or a terminal obeys.
    private static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isObeyedByTerminals || scalar.value == 0xFEFF || scalar.value & 0xFFFE == 0xFFFE
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let (sign, length) = scalar.value < 0x100 ? ("x", 2) : scalar.value < 0x10000 ? ("u", 4) : ("U", 8)
        return "\\" + sign + String(repeating: "0", count: length - digits.count) + digits
    }
}
