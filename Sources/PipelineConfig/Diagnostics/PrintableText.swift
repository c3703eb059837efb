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
