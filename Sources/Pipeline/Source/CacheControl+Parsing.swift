extension CacheControl {
    /// The longest time that is told apart: 2³¹ seconds (RFC 9111, section 1.2.2).
    package static let mostSeconds: UInt32 = 1 << 31

    /// Reads ``text``. Directives of another version are left out.
    public init(text: String) {
        self.init()
        for member in Self.members(of: text) {
            if member.name == "expires" { expires = Self.seconds(member.value) } else { add(member) }
        }
    }

    /// Reads the field `Cache-Control`; several lines of it are joined by commas.
    ///
    /// A member that is no directive is skipped alone. A time that is not written in digits alone is 0, as if the copy had expired, and of
    /// two times the shorter one holds.
    public init(field: String) {
        self.init()
        for member in Self.members(of: field) { add(member) }
    }

    private mutating func add(_ member: (name: String, value: Substring?)) {
        func shorter(_ known: UInt32?) -> UInt32 { min(known ?? .max, Self.seconds(member.value)) }
        switch member.name {
        case "max-age": maxAge = shorter(maxAge)
        case "s-maxage": sharedMaxAge = shorter(sharedMaxAge)
        case "stale-while-revalidate": staleWhileRevalidate = shorter(staleWhileRevalidate)
        case "stale-if-error": staleIfError = shorter(staleIfError)
        default: if let known = Flags.names.first(where: { $0.name == member.name }) { flags.insert(known.flag) }
        }
    }

    /// The seconds that a value says, bare or quoted.
    private static func seconds(_ value: Substring?) -> UInt32 {
        guard var digits = value?.utf8[...] else { return 0 }
        if digits.count > 1, digits.first == UInt8(ascii: "\""), digits.last == UInt8(ascii: "\"") {
            digits = digits.dropFirst().dropLast()
        }
        return seconds(digits: digits) ?? 0
    }

    /// The number that `digits` write, no larger than ``mostSeconds``; nil when there is anything else among them.
    package static func seconds(digits: some Collection<UInt8>) -> UInt32? {
        guard !digits.isEmpty else { return nil }
        var seconds: UInt64 = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            seconds = min(seconds * 10 + UInt64(digit - UInt8(ascii: "0")), UInt64(mostSeconds))
        }
        return UInt32(seconds)
    }

    /// The directives of the field, their names in lower case.
    private static func members(of field: String) -> [(name: String, value: Substring?)] {
        list(field).compactMap { member in
            let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, !name.isEmpty, !name.utf8.contains(where: { " \t\"".utf8.contains($0) }) else { return nil }
            return (name.lowercased(), parts.count > 1 ? parts[1] : nil)
        }
    }

    /// The members of a field that is a list: what is between the commas that are not in quotes, without the blanks around them. A quote
    /// that is not closed is a character like others: it hides nothing that follows.
    package static func list(_ field: String) -> [Substring] {
        var members: [Substring] = []
        let bytes = field.utf8
        var start = bytes.startIndex
        var index = start
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "\""), let end = closingQuote(of: index, in: bytes) {
                index = end
            } else if bytes[index] == UInt8(ascii: ",") {
                members.append(field[start..<index])
                start = bytes.index(after: index)
            }
            index = bytes.index(after: index)
        }
        members.append(field[start...])
        return members.map(trimmed).filter { !$0.isEmpty }
    }

    /// Where the quoted string ends that begins at `quote`; a backslash takes the next character along.
    private static func closingQuote(of quote: String.Index, in bytes: String.UTF8View) -> String.Index? {
        var index = bytes.index(after: quote)
        while index < bytes.endIndex, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\\") {
                index = bytes.index(after: index)
                guard index < bytes.endIndex else { return nil }
            }
            index = bytes.index(after: index)
        }
        return index < bytes.endIndex ? index : nil
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let begin = text.utf8.drop(while: isBlank)
        guard let last = begin.lastIndex(where: { !isBlank($0) }) else { return "" }
        return Substring(begin[...last])
    }
}
