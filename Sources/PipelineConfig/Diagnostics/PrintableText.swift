extension String {
    /// The text on one line, without what a terminal would obey: control characters become `\u{FFFD}`.
    ///
    /// Names and reasons come from files, arguments and servers.
    package var printable: String {
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars { scalars.append(scalar.isObeyed ? "\u{FFFD}" : scalar) }
        return String(scalars)
    }
}

extension Unicode.Scalar {
    /// Whether a terminal takes it as a command: C0, C1, line and paragraph separators, and what turns the direction of writing
    /// (UAX #9).
    fileprivate var isObeyed: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
