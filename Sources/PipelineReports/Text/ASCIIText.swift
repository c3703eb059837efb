extension String {
    /// The text with ASCII in place of lines, arrows and marks, for a terminal that has other characters there. Letters stay as they are.
    package var drawnInASCII: String {
        guard !utf8.allSatisfy({ $0 < 0x80 }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if let drawn = drawnAs[scalar] { text += drawn } else { text.unicodeScalars.append(scalar) }
        }
    }
}

/// What stands for each character that a text of ours draws with.
private let drawnAs: [Unicode.Scalar: String] = [
    "─": "-", "┄": "-", "⋯": "-", "−": "-", "–": "-", "—": "-", "│": "|", "┆": "|", "⋮": "|", "├": "|", "└": "`",
    "→": "->", "←": "<-", "⇠": "<~", "↓": "v", "✓": "+", "✗": "x", "⚠": "!", "×": "x", "…": "...", "·": "*", "“": "\"", "”": "\"",
    "∞": "inf",
    "µ": "u", "\u{FFFD}": "?",
]
