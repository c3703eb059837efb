extension String {
    /// The most characters of one word.
    private static let longestWord = 200

    /// The text with each word of more than 200 characters cut: a key, a URL or a path that a message quotes may be much.
    var withLongWordsCut: String {
        guard utf8.count > Self.longestWord else { return self }
        var text = String.UnicodeScalarView()
        var length = 0
        for scalar in unicodeScalars {
            length = scalar.properties.isWhitespace ? 0 : length + 1
            if length <= Self.longestWord { text.append(scalar) } else if length == Self.longestWord + 1 { text.append("…") }
        }
        return String(text)
    }
}
