internal import PipelineConfig

/// A line of text in a drawing, with the room it takes.
struct DrawnText: Hashable {
    /// The look of a text.
    enum Style: String, Hashable {
        case title
        case name
        case body
        case note
        case small
        case label
        case live
        case warning
        case error
        case added
        case removed
        case changed

        var size: Double {
            switch self {
            case .title: 17
            case .name: 14
            case .body, .note, .warning, .error, .added, .removed, .changed: 12
            case .small, .label, .live: 11.5
            }
        }

        var isBold: Bool { self == .title || self == .name }

        /// The distance from one base line to the next.
        var lineHeight: Double { (size * 1.4).rounded(.up) }
    }

    let text: String
    let style: Style
    /// The left end of the base line.
    var x: Double
    var y: Double
    /// The greatest width of the line.
    let width: Double

    init(text: String, style: Style, x: Double, y: Double) {
        self.text = text
        self.style = style
        self.x = x
        self.y = y
        width = TextWidth.of(text, style)
    }

    /// The room that it takes at most.
    var frame: DrawnRect { DrawnRect(x: x, y: y - style.size, width: width, height: style.size * 1.3) }
}

/// Lines of text one below the other.
struct TextColumn {
    let x: Double
    let width: Double
    private(set) var y: Double
    private(set) var lines: [DrawnText] = []

    init(x: Double, y: Double, width: Double) {
        self.x = x
        self.y = y
        self.width = width
    }

    mutating func add(_ text: String, _ style: DrawnText.Style, most: Int = 3) {
        for line in TextWidth.lines(text.printable, width: width, style, most: most) {
            // The room above the first base line is that of the letters.
            y += lines.isEmpty ? style.size : style.lineHeight
            lines.append(DrawnText(text: line, style: style, x: x, y: y))
        }
    }

    mutating func space(_ height: Double) { y += height }

    /// Policies one after the other, as many as fit into a line; those that change stand alone.
    mutating func add(_ policies: [GraphPolicy]) {
        var line = ""
        func fits(_ text: String) -> Bool { TextWidth.of(text, .body) <= width }
        for policy in policies {
            if let change = policy.change {
                if !line.isEmpty { add(line, .body) }
                line = ""
                add(policy.words, change == .added ? .added : change == .removed ? .removed : .changed)
            } else if line.isEmpty || !fits("\(line)  ·  \(policy.words)") {
                if !line.isEmpty { add(line, .body) }
                line = policy.words
            } else {
                line += "  ·  \(policy.words)"
            }
        }
        if !line.isEmpty { add(line, .body) }
    }

    /// The most problems that are written out in one place.
    private static let mostProblems = 4

    mutating func add(_ problems: [GraphProblem]) {
        for problem in problems.prefix(Self.mostProblems) {
            add("⚠ \(problem.code) \(problem.message)", problem.isError ? .error : .warning, most: 4)
        }
        if problems.count > Self.mostProblems { add("⚠ and \(problems.count - Self.mostProblems) more", .warning) }
    }
}

/// The greatest width of a text, whatever sans-serif font shows it. A drawing leaves so much room that nothing overlaps.
enum TextWidth {
    /// The width of `text` at a font size of `size`, in the same unit.
    static func of(_ text: String, size: Double, isBold: Bool = false) -> Double {
        text.unicodeScalars.reduce(0) { $0 + of($1) } * size * (isBold ? 1 : 0.9)
    }

    /// The width of `text` in `style`.
    static func of(_ text: String, _ style: DrawnText.Style) -> Double { of(text, size: style.size, isBold: style.isBold) }

    /// The width in parts of the font size, as a bold face of wide build has it (DejaVu Sans), rounded up.
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

    /// The first line: as many words as fit; of a word that is too long, as many characters. At least one character, so that it ends.
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
