internal import Pipeline
package import PipelineConfig

/// A configuration as it holds, as YAML that this program reads again, each value with where it came from.
package struct ConfigYAML {
    private let file: String

    /// One line: the YAML, and the remark after it.
    private struct Line {
        var text: String
        var remark: String?
    }

    /// - Parameter file: as the user named it.
    package init(file: String) {
        self.file = file
    }

    package func text(_ config: EffectiveConfig) -> String {
        let lines = lines(config.root, indent: 0)
        // Remarks stand in one column, as far as the lines are not too long for that.
        let widths = lines.filter { $0.remark != nil }.map { TerminalWidth.of($0.text) }
        let column = min(widths.max() ?? 0, Self.widest)
        return lines.map { line in
            guard let remark = line.remark else { return line.text + "\n" }
            return line.text + String(repeating: " ", count: max(0, column - TerminalWidth.of(line.text))) + "  # \(remark)\n"
        }.joined()
    }

    private static let widest = 56

    private func lines(_ value: EffectiveValue, indent: Int) -> [Line] {
        let margin = String(repeating: " ", count: indent)
        switch value.content {
        case .scalar(let scalar): return [Line(text: margin + YAMLScalar.written(scalar), remark: remark(value.origins))]
        case .list(let elements) where elements.isEmpty: return [Line(text: margin + "[]", remark: remark(value.origins))]
        case .mapping(let members) where members.isEmpty: return [Line(text: margin + "{}", remark: remark(value.origins))]
        case .list(let elements): return elements.flatMap { begun("- ", lines($0, indent: indent + 2), indent: indent) }
        case .mapping(let members): return members.flatMap { self.lines($0, indent: indent) }
        }
    }

    private func lines(_ member: EffectiveValue.Member, indent: Int) -> [Line] {
        let margin = String(repeating: " ", count: indent)
        let key = YAMLScalar.written(key: member.key)
        var inner = lines(member.value, indent: indent + 2)
        // YAML lets a longer key only stand alone.
        if key.utf8.count > YAMLScalar.longestKey { return [Line(text: "\(margin)? \(key)")] + begun(": ", inner, indent: indent) }
        if inner.count == 1, member.value.isOnOneLine {
            inner[0].text = "\(margin)\(key): \(inner[0].text.dropFirst(indent + 2))"
            return inner
        }
        return [Line(text: "\(margin)\(key):")] + inner
    }

    /// The lines with `mark` in the room before the first one.
    private func begun(_ mark: String, _ lines: [Line], indent: Int) -> [Line] {
        guard var first = lines.first else { return [] }
        first.text = String(repeating: " ", count: indent) + mark + first.text.dropFirst(indent + 2)
        return [first] + lines.dropFirst()
    }

    private func remark(_ origins: [ValueOrigin]) -> String? {
        origins.isEmpty ? nil : origins.map(words).joined(separator: ", ").printable
    }

    private func words(_ origin: ValueOrigin) -> String {
        switch origin {
        case .place(let range, let uses):
            "\(file):\(range.start.line)"
                + (uses.isEmpty ? "" : ", used in line \(uses.map { "\($0.start.line)" }.joined(separator: ", "))")
        case .byDefault: "default"
        case .variable(let name): "from the environment: \(name)"
        case .unsetVariable(let name): "the default of \(name), which is not set"
        case .file(let path): "from the file \(path)"
        case .kept: "kept as it is written: the value has braces or signs that would be read as something else"
        case .secret: "secret"
        }
    }
}

extension EffectiveValue {
    fileprivate var isOnOneLine: Bool {
        switch content {
        case .scalar: true
        case .list(let elements): elements.isEmpty
        case .mapping(let members): members.isEmpty
        }
    }
}

/// Texts as YAML scalars that are read as the same text again, whatever is in them.
enum YAMLScalar {
    /// The length of the longest key that can stand before a `:` on its line (YAML 1.1, section 4.1.1).
    static let longestKey = 900

    static func written(_ scalar: EffectiveValue.Scalar) -> String {
        scalar.mustBePlain || isSafe(scalar.text) ? scalar.text : quoted(scalar.text)
    }

    static func written(key: String) -> String { isSafe(key) ? key : quoted(key) }

    /// Indicates whether the text can stand without quotes, and is read as text alone: not for a number, a bool, nothing, a date.
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

    /// Indicates whether YAML does not take a scalar, takes it for a line break, or a terminal obeys it.
    private static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isObeyedByTerminals || scalar.value == 0xFEFF || scalar.value & 0xFFFE == 0xFFFE
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let (sign, length) = scalar.value < 0x100 ? ("x", 2) : scalar.value < 0x10000 ? ("u", 4) : ("U", 8)
        return "\\" + sign + String(repeating: "0", count: length - digits.count) + digits
    }
}
