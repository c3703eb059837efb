extension String {
    /// The text on one line, cut after 60 characters, for messages that quote what was written.
    package var shortened: String { shortened(to: 60) }

    /// The text on one line, cut after `limit` characters; what a terminal would obey rather than show is replaced.
    package func shortened(to limit: Int) -> String {
        if utf8.count <= limit, utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return self }
        var line = String.UnicodeScalarView()
        for (count, scalar) in unicodeScalars.enumerated() {
            guard count < limit else { return String(line) + "…" }
            line.append(scalar.properties.isWhitespace ? " " : scalar.isObeyedByTerminals ? "\u{FFFD}" : scalar)
        }
        return String(line)
    }

    /// The beginning of the text on one line, at most `limit` bytes of it; white space becomes one space each, and what a terminal would obey
    /// is replaced. Nil when nothing is left.
    package func excerpt(ofBytes limit: Int) -> String? {
        var line = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars {
            if scalar.properties.isWhitespace {
                guard count > 0, count < limit, line.last != " " else { continue }
                line.append(" ")
                count += 1
                continue
            }
            let shown = scalar.isObeyedByTerminals ? "\u{FFFD}" : scalar
            let length = UTF8.width(shown)
            guard count + length <= limit else { return String(line) + "…" }
            line.append(shown)
            count += length
        }
        while line.last == " " { line.removeLast() }
        return line.isEmpty ? nil : String(line)
    }
}

extension Unicode.Scalar {
    /// Indicates whether a terminal takes it for a command: a control character, or one that turns the direction of the text (UAX #9).
    package var isObeyedByTerminals: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension String {
    /// One text for all that a source may take for the same id: it leaves out case, blanks at both ends, and how a number is written.
    var normalSpelling: String {
        var text = lowercased().drop(while: \.isWhitespace)
        while text.last?.isWhitespace ?? false { text.removeLast() }
        if text.contains("e"), let number = Double(text), number.magnitude < 1e15, number == number.rounded() { return "\(Int64(number))" }
        let isNegative = text.first == "-"
        let parts = (isNegative || text.first == "+" ? text.dropFirst() : text).split(separator: ".", omittingEmptySubsequences: false)
        let isNumber =
            parts.count <= 2 && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } }
        guard isNumber else { return String(text) }
        var fraction = parts.count > 1 ? parts[1] : ""
        while fraction.last == "0" { fraction.removeLast() }
        let integer = parts[0].drop { $0 == "0" }
        let digits = (integer.isEmpty ? "0" : integer) + (fraction.isEmpty ? "" : "." + fraction)
        return (isNegative && digits != "0" ? "-" : "") + digits
    }
}
