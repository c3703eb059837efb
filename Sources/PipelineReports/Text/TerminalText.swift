/// The number of columns that a terminal gives a character.
enum TerminalWidth {
    /// 0 for marks that join the one before, 2 for wide East Asian characters and emoji (UAX #11, in coarse ranges), else 1.
    ///
    /// Terminals differ over emoji that are joined to one picture; most give each its own columns, as this does.
    static func of(_ scalar: Unicode.Scalar) -> Int {
        if isJoining(scalar) { return 0 }
        // Of the flags' letters a terminal makes one picture for two.
        if scalar.properties.isEmojiPresentation, !(0x1F1E6...0x1F1FF ~= scalar.value) { return 2 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18D08, 0x1AFF0...0x1B2FF,
            0x1F200...0x1F265, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// The number of columns that a terminal gives a text.
    static func of(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + of($1) } }

    private static func isJoining(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        // A soft hyphen shows.
        case .format: scalar.value != 0xAD
        // The vowels and final consonants of Hangul join the consonant before.
        default: 0x1160...0x11FF ~= scalar.value
        }
    }
}

extension String {
    /// The text with ASCII in place of lines, arrows and marks, for a terminal that has other characters there. Letters stay as they are.
    package var drawnInASCII: String {
        guard !utf8.allSatisfy({ $0 < 0x80 }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if let drawn = drawnAs[scalar] { text += drawn } else { text.unicodeScalars.append(scalar) }
        }
    }
}

/// The replacement of each character that a text of ours draws with.
private let drawnAs: [Unicode.Scalar: String] = [
    "─": "-", "┄": "-", "⋯": "-", "−": "-", "–": "-", "—": "-", "│": "|", "┆": "|", "⋮": "|", "├": "|", "└": "`",
    "→": "->", "←": "<-", "⇠": "<~", "↓": "v", "✓": "+", "✗": "x", "⚠": "!", "×": "x", "…": "...", "·": "*", "“": "\"", "”": "\"",
    "∞": "inf",
    "µ": "u", "\u{FFFD}": "?",
]
