/// People forget that YAML wants quotes around `{key}`; this shows them the line with the quotes.
enum BraceQuoting {
    /// A longer line helps nobody.
    private static let longestLine = 200

    /// The line with quotes around the word that contains `{name}`; nil when there is no such word without quotes.
    static func mended(_ line: String) -> String? {
        guard line.utf8.count <= longestLine else { return nil }
        let characters = Array(line)
        for start in characters.indices where characters[start] == "{" {
            guard let end = characters[start...].firstIndex(of: "}"), isName(characters[(start + 1)..<end]) else { continue }
            var first = start
            while first > 0, !isBoundary(characters[first - 1]) { first -= 1 }
            var last = end
            while last + 1 < characters.count, !isBoundary(characters[last + 1]) { last += 1 }
            if first > 0, "\"'".contains(characters[first - 1]) { continue }
            return (String(characters[..<first]) + "\"" + String(characters[first...last]) + "\"" + String(characters[(last + 1)...]))
                .trimmed
        }
        return nil
    }

    private static func isName(_ characters: ArraySlice<Character>) -> Bool {
        !characters.isEmpty && characters.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    private static func isBoundary(_ character: Character) -> Bool {
        character.isWhitespace || ",[]\"'".contains(character)
    }
}

extension String {
    fileprivate var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest = rest.dropFirst() }
        while rest.last?.isWhitespace == true { rest = rest.dropLast() }
        return String(rest)
    }
}
