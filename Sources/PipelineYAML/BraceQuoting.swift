internal import Pipeline

/// People forget that YAML wants quotes around `{key}`; this shows them the line with the quotes.
enum BraceQuoting {
    /// A longer line helps nobody.
    private static let longestLine = 200

    /// A line, cut around the word that wants quotes.
    private struct Cut {
        let before: String
        let word: String
        let after: String
    }

    /// The line with quotes around the word that contains `{name}`; nil when there is no such word without quotes.
    static func mended(_ line: String) -> String? {
        cut(line).map { ($0.before + "\"" + $0.word + "\"" + $0.after).trimmed }
    }

    /// The quotes around that word, where it is the whole of a value.
    static func fix(_ line: String, number: Int) -> TextFix? {
        guard let cut = cut(line), !cut.word.contains("\\"), cut.word.count(where: { $0 == "{" }) == cut.word.count(where: { $0 == "}" }),
            !cut.before.contains("#"), let last = cut.before.trimmed.last, ":,[-".contains(last),
            cut.after.trimmed.first.map({ ",]}#".contains($0) }) ?? true
        else { return nil }
        let start = cut.before.unicodeScalars.count + 1
        return .quotes(
            around: TextRange(
                TextPosition(line: number, column: start),
                TextPosition(line: number, column: start + cut.word.unicodeScalars.count)))
    }

    private static func cut(_ line: String) -> Cut? {
        guard line.utf8.count <= longestLine else { return nil }
        let characters = Array(line)
        for start in characters.indices where characters[start] == "{" {
            guard let end = characters[start...].firstIndex(of: "}"), isName(characters[(start + 1)..<end]) else { continue }
            var first = start
            while first > 0, !isBoundary(characters[first - 1]) { first -= 1 }
            var last = end
            while last + 1 < characters.count, !isBoundary(characters[last + 1]) { last += 1 }
            if first > 0, "\"'".contains(characters[first - 1]) { continue }
            return Cut(
                before: String(characters[..<first]), word: String(characters[first...last]), after: String(characters[(last + 1)...]))
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
