internal import Pipeline
internal import PipelineJSON

/// The forms of secrets, in an order that finds those that stand at a place of a text without comparing each.
struct SecretPatterns: Sendable {
    /// In the order of their bytes, each once.
    private let patterns: [[UInt8]]
    /// For each pattern the longest other one that it begins with; -1 for none.
    private let parents: [Int]
    /// The patterns from the back to the front, for what a cut leaves of their ends.
    private let reversed: [[UInt8]]
    /// Whether a pattern begins with this byte.
    private let begins: [Bool]

    /// Of a cut secret, at least so many bytes are masked: fewer stand in words that have nothing to do with it.
    private static let shortestRest = 4
    /// Of a secret that nothing says is cut, at least so many bytes are masked.
    private static let shortestUnmarkedRest = 8
    /// So much of a text is looked through before and after a cut.
    private static let longestRest = 4096

    /// Of more secrets, which no configuration has but a hostile one, there are no other forms: they would take much memory.
    private static let mostSpelt = 10_000

    init(_ secrets: some Collection<String>) {
        var forms: Set<[UInt8]> = []
        let areFew = secrets.count <= Self.mostSpelt
        for secret in secrets where !secret.isEmpty {
            let all = areFew ? SecretForms.all(of: secret) : [secret]
            forms.formUnion(all.lazy.map { Array($0.utf8) })
        }
        patterns = forms.sorted { $0.lexicographicallyPrecedes($1) }
        reversed = areFew ? patterns.map { $0.suffix(Self.longestRest).reversed() }.sorted { $0.lexicographicallyPrecedes($1) } : []
        var parents: [Int] = []
        var begins = [Bool](repeating: false, count: 256)
        for pattern in patterns {
            var parent = parents.count - 1
            while parent >= 0, !pattern.starts(with: patterns[parent]) { parent = parents[parent] }
            parents.append(parent)
            begins[Int(pattern[0])] = true
        }
        (self.parents, self.begins) = (parents, begins)
    }

    var isEmpty: Bool { patterns.isEmpty }

    /// The lengths of the patterns that stand at `start` of `bytes`, the longest first.
    func lengths(in bytes: [UInt8], at start: Int) -> [Int] {
        guard begins[Int(bytes[start])] else { return [] }
        let text = bytes[start...]
        // All patterns that the text begins with are beginnings of the last that comes before it, or that pattern itself.
        var index = Self.firstIndex(in: patterns) { text.lexicographicallyPrecedes($0) } - 1
        var lengths: [Int] = []
        while index >= 0 {
            if text.starts(with: patterns[index]) { lengths.append(patterns[index].count) }
            index = parents[index]
        }
        return lengths
    }

    /// What is left of patterns where the text was cut: before and after `…`, and at the end of a quote or of the text.
    func rests(in bytes: [UInt8]) -> [Range<Int>] {
        var rests: [Range<Int>] = []
        var quote = 0
        for index in bytes.indices {
            if bytes[index...].starts(with: "…".utf8) {
                rests += [beginning(in: bytes, from: max(0, index - Self.longestRest), to: index, atLeast: Self.shortestRest)].compactMap(
                    \.self)
                rests += [ending(in: bytes, from: index + 3)].compactMap(\.self)
            } else if bytes[index] == UInt8(ascii: "`") {
                rests += [beginning(in: bytes, from: quote, to: index, atLeast: Self.shortestUnmarkedRest)].compactMap(\.self)
                quote = index + 1
            }
        }
        let last = beginning(
            in: bytes, from: max(quote, bytes.count - Self.longestRest), to: bytes.count, atLeast: Self.shortestUnmarkedRest)
        return rests + [last].compactMap(\.self)
    }

    /// The longest text that ends at `end` and that a pattern begins with.
    private func beginning(in bytes: [UInt8], from first: Int, to end: Int, atLeast shortest: Int) -> Range<Int>? {
        guard end - first >= shortest else { return nil }
        return (first...(end - shortest)).first { begins[Int(bytes[$0])] && Self.hasBeginning(bytes[$0..<end], in: patterns) }
            .map { $0..<end }
    }

    /// The longest text that begins at `start`, a space aside, and that a pattern ends with.
    private func ending(in bytes: [UInt8], from start: Int) -> Range<Int>? {
        let start = start < bytes.count && bytes[start] == UInt8(ascii: " ") ? start + 1 : start
        let last = min(bytes.count, start + Self.longestRest)
        guard last - start >= Self.shortestRest else { return nil }
        return (start + Self.shortestRest...last).last { Self.hasBeginning(bytes[start..<$0].reversed(), in: reversed) }.map { start..<$0 }
    }

    private static func hasBeginning(_ text: some BidirectionalCollection<UInt8>, in patterns: [[UInt8]]) -> Bool {
        let index = firstIndex(in: patterns) { !$0.lexicographicallyPrecedes(text) }
        return index < patterns.count && patterns[index].starts(with: text)
    }

    /// The first index of sorted `patterns` from which on `isBehind` holds.
    private static func firstIndex(in patterns: [[UInt8]], where isBehind: ([UInt8]) -> Bool) -> Int {
        var (low, high) = (0, patterns.count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(patterns[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// How one secret may be written.
enum SecretForms {
    /// Parts and other forms are no shorter: they would be found in words that have nothing to do with the secret.
    private static let shortest = ConfigSecrets.shortest
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
