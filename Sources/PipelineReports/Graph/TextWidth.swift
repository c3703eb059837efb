/// How wide a text is at most, whatever sans-serif font shows it. A drawing leaves so much room that nothing overlaps.
enum TextWidth {
    /// The width of `text` at a font size of `size`, in the same unit.
    static func of(_ text: String, size: Double, isBold: Bool = false) -> Double {
        text.unicodeScalars.reduce(0) { $0 + of($1) } * size * (isBold ? 1 : 0.9)
    }

    /// The width of `text` in `style`.
    static func of(_ text: String, _ style: DrawnText.Style) -> Double { of(text, size: style.size, isBold: style.isBold) }

    /// In parts of the font size: those of a bold face of wide build (DejaVu Sans), rounded up.
    private static func of(_ scalar: Unicode.Scalar) -> Double {
        switch scalar {
        case "i", "j", "l", "I", "|", "'", ".", ",", ":", ";", " ", "·": 0.42
        case "f", "t", "r", "(", ")", "[", "]", "/", "\\", "!", "-", "`": 0.54
        case "m", "w", "M", "W", "@", "%", "…", "—": 1.12
        case "a"..."z", "0"..."9", "\"", "_", "*", "?", "^", "$": 0.73
        case "A"..."Z", "+", "<", ">", "=", "~", "#", "&", "{", "}", "→", "×", "−": 0.9
        default:
            switch TerminalWidth.of(scalar) {
            // A mark may be shown on its own, and some scripts draw it beside the letter.
            case 0: 0.4
            case 2: 1.4
            default: scalar.value < 0x250 ? 0.9 : 1.2
            }
        }
    }

    /// `text` in lines that are at most `width` wide; what does not fit into `most` lines ends in `…`.
    static func lines(_ text: String, width: Double, _ style: DrawnText.Style, most: Int = 3) -> [String] {
        var lines: [String] = []
        var rest = Array(text.prefix(4_000))[...]
        while !rest.isEmpty {
            let (line, length) = firstLine(of: rest, width: width, style)
            rest = rest.dropFirst(length).drop { $0 == " " }
            guard lines.count + 1 < most || rest.isEmpty else {
                return lines + [shortened(line, width: width, style)]
            }
            lines.append(line)
        }
        return lines
    }

    /// As many words as fit; of a word that is too long, as many characters. At least one character, so that it ends.
    private static func firstLine(of text: ArraySlice<Character>, width: Double, _ style: DrawnText.Style) -> (line: String, length: Int) {
        var used = 0.0
        var end = text.startIndex
        var lastSpace: Int?
        while end < text.endIndex {
            used += of(String(text[end]), style)
            guard used <= width || end == text.startIndex else { break }
            if text[end] == " " { lastSpace = end }
            end += 1
        }
        if end < text.endIndex, text[end] != " ", let lastSpace, lastSpace > text.startIndex { end = lastSpace }
        return (String(text[text.startIndex..<end]), end - text.startIndex)
    }

    private static func shortened(_ line: String, width: Double, _ style: DrawnText.Style) -> String {
        var characters = Array(line)
        while !characters.isEmpty, of(String(characters) + "…", style) > width { characters.removeLast() }
        return String(characters) + "…"
    }
}
