extension String {
    /// The text on one line, cut after 60 characters, for messages that quote what was written.
    package var shortened: String { shortened(to: 60) }

    /// The text on one line, cut after `limit` characters; what a terminal would obey rather than show is replaced.
    func shortened(to limit: Int) -> String {
        if utf8.count <= limit, utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return self }
        var line = String.UnicodeScalarView()
        for (count, scalar) in unicodeScalars.enumerated() {
            guard count < limit else { return String(line) + "…" }
            line.append(scalar.properties.isWhitespace ? " " : scalar.isObeyedByTerminals ? "\u{FFFD}" : scalar)
        }
        return String(line)
    }
}

extension Unicode.Scalar {
    /// Whether a terminal takes it for a command: a control character, or one that turns the direction of the text (UAX #9).
    package var isObeyedByTerminals: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
