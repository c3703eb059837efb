internal import Pipeline

/// The URL that somebody meant who left out its scheme, or put a character in it that a URL cannot have.
enum MeantURL {
    private static let longest = 200

    /// `http://localhost:8080/a` for `localhost:8080/a`; nil for what does not begin with a host.
    ///
    /// - Parameter example: a URL of the field, whose scheme counts where it is neither `http` nor `https`.
    static func withScheme(_ text: String, example: String) -> String? {
        let text = text.hasPrefix("//") ? String(text.dropFirst(2)) : text
        guard text.utf8.count <= longest, !text.contains("://"), !text.contains(where: { $0.isWhitespace || $0 == "@" }) else { return nil }
        let authority = text.prefix { !"/?#".contains($0) }
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, isHost(host), parts.count == 1 || UInt16(parts[1]) != nil else { return nil }
        let scheme = String(example.prefix { $0 != ":" })
        let isNear = host == "localhost" || host.allSatisfy { $0.isNumber || $0 == "." }
        return (["http", "https"].contains(scheme) ? (isNear ? "http" : "https") : scheme) + "://" + text
    }

    private static func isHost(_ host: Substring) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isMade = labels.allSatisfy { label in
            !label.isEmpty && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        }
        return isMade && (labels.count > 1 || host == "localhost")
    }

    /// The URL with what it cannot have percent-encoded, and `<user>` as `{user}` where that is a parameter.
    static func encoded(_ text: String, parameters: Set<String>) -> String? {
        guard text.utf8.count <= longest, !text.contains("@") else { return nil }
        var text = text
        for parameter in parameters.sorted().prefix(20) { text = replacing("<\(parameter)>", in: text, with: "{\(parameter)}") }
        while text.last?.isWhitespace == true { text.removeLast() }
        while text.first?.isWhitespace == true { text.removeFirst() }
        var result = ""
        for scalar in text.unicodeScalars {
            let isForbidden = scalar.value <= 32 || scalar.value >= 127 || "\"<>\\^`|".unicodeScalars.contains(scalar)
            result += isForbidden ? PercentEncoding.url.encoded(String(scalar)) : String(scalar)
        }
        return result
    }

    private static func replacing(_ part: String, in text: String, with other: String) -> String {
        guard let range = text.range(of: part) else { return text }
        return text[..<range.lowerBound] + other + text[range.upperBound...]
    }
}
