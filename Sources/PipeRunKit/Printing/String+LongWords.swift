extension String {
    /// The text with each word of more than 200 characters cut: a key, a URL or a path that a message quotes may be much. The marks behind a
    /// word stay.
    var withLongWordsCut: String {
        guard utf8.count > Self.longestWord else { return self }
        var text = UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let first = rest.first {
            let word = rest.prefix { !$0.properties.isWhitespace }
            text.append(contentsOf: word.prefix(Self.longestWord))
            if word.count > Self.longestWord {
                text.append("…")
                text.append(contentsOf: word.suffix(3).drop { !"`'\");:,.".unicodeScalars.contains($0) })
            }
            rest = rest[word.endIndex...]
            if word.isEmpty {
                text.append(first)
                rest = rest.dropFirst()
            }
        }
        return String(text)
    }

    /// The most characters of one word.
    private static let longestWord = 200
}
