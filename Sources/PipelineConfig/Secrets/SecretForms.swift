internal import Pipeline
internal import PipelineJSON

/// How one secret may be written.
enum SecretForms {
    /// Parts and other forms are no shorter: they would be found in words that have nothing to do with the secret.
    private static let shortest = FieldDecoder.shortestSecret
    /// Fewer characters of Base64 stand in many words.
    private static let shortestInBase64 = 8
    /// Of a longer secret there are the lines and no other forms.
    private static let longest = 1 << 16
    /// So many lines of a secret are secrets of their own.
    private static let mostLines = 10_000

    /// `secret` itself and what else of it must not show.
    static func all(of secret: String) -> Set<String> {
        var parts = [secret]
        if secret.utf8.contains(where: isLineBreak) {
            parts += secret.utf8.split(whereSeparator: isLineBreak).prefix(mostLines).map { String(Substring($0)).trimmed }
        }
        parts += partsOfURL(secret)
        var forms: Set<String> = [secret]
        for part in parts where part.utf8.count >= shortest {
            forms.insert(part)
            guard part.utf8.count <= longest else { continue }
            forms.formUnion(spellings(of: part).lazy.filter { $0.utf8.count >= shortest })
            forms.formUnion(piecesInBase64(of: part))
        }
        return forms
    }

    /// As others write it: in a URL, as a host, on one line, where a terminal must not obey.
    private static func spellings(of part: String) -> [String] {
        var spellings = [PercentEncoding.url.encoded(part), PercentEncoding.fileName.encoded(part), part.lowercased()]
        spellings += [JSONText.escaped(part), part.replacing("/", with: "\\/"), XMLText.escaped(part)]
        if part.utf8.contains(UInt8(ascii: "\"")) { spellings.append(XMLText.escaped(part).replacing("&quot;", with: "&#34;")) }
        if part.utf8.contains(UInt8(ascii: "%")) { spellings.append(PercentEncoding.leniently(decoded: part[...].utf8)) }
        guard part.unicodeScalars.contains(where: { $0.isObeyedByTerminals || $0.properties.isWhitespace }) else { return spellings }
        func replacing(_ replacement: (Unicode.Scalar) -> String) -> String { part.unicodeScalars.map(replacement).joined() }
        return spellings + [
            replacing { $0.properties.isWhitespace ? " " : $0.isObeyedByTerminals ? "\u{FFFD}" : String($0) },
            replacing { $0.isObeyedByTerminals ? "\u{FFFD}" : String($0) },
            replacing { $0.isObeyedByTerminals ? "\\u{\(String($0.value, radix: 16))}" : String($0) },
            part.split(whereSeparator: \.isWhitespace).joined(separator: " "),
        ]
    }

    /// What shows of the part in Base64, as in the header that a server repeats; in the alphabet of URLs, too (RFC 4648, section 5).
    private static func piecesInBase64(of part: String) -> [String] {
        let pieces = Base64.pieces(of: Array(part.utf8)).filter { $0.utf8.count >= shortestInBase64 }
        return pieces + pieces.map { $0.replacing("+", with: "-").replacing("/", with: "_") }
    }

    /// What of a URL stands alone in messages: the address, the host, the path, and the long steps of it that no one would choose.
    private static func partsOfURL(_ secret: String) -> [String] {
        guard let separator = secret.range(of: "://"), separator.lowerBound > secret.startIndex else { return [] }
        let rest = secret[separator.upperBound...].prefix { !$0.isWhitespace }
        let authority = rest.prefix { !"/?#".contains($0) }
        let address = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let target = rest[authority.endIndex...].prefix { $0 != "#" }
        let path = target.prefix { $0 != "?" }
        let steps = target.split { "/?&=".contains($0) }.filter { $0.utf8.count >= 8 && $0.contains(where: \.isNumber) }
        let host = address.last == "]" ? address : address.lastIndex(of: ":").map { address[..<$0] } ?? address
        return ([rest, address, host, target, path] + steps).map(String.init)
    }

    private static func isLineBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
}

extension String {
    /// The text without the white space around it.
    fileprivate var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
