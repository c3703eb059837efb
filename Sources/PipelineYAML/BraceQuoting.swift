internal import PipelineConfig

/// People forget that YAML wants quotes around `{key}` and `${NAME}`; this shows them the line with the quotes.
enum BraceQuoting {
    /// The length of the longest line that is shown.
    private static let longestLine = 200

    /// The line with quotes around each value with braces in it; nil if there is none without quotes.
    static func quoted(_ line: String) -> String? {
        guard let characters = characters(of: line) else { return nil }
        let values = values(of: characters)
        guard !values.isEmpty else { return nil }
        var result = ""
        var index = 0
        for value in values {
            result += String(characters[index..<value.lowerBound]) + TextFix.quoted(String(characters[value]))
            index = value.upperBound
        }
        return (result + String(characters[index...])).trimmed
    }

    /// The quotes around these values.
    static func fix(_ line: String, number: Int) -> TextFix? {
        guard let characters = characters(of: line) else { return nil }
        let values = values(of: characters)
        guard !values.isEmpty else { return nil }
        return values.reduce(into: TextFix([], summary: "")) { fix, value in
            let (text, start) = (String(characters[value]), String(characters[..<value.lowerBound]).unicodeScalars.count + 1)
            let range = TextRange(
                TextPosition(line: number, column: start), TextPosition(line: number, column: start + text.unicodeScalars.count))
            let quotes = TextFix.quotes(around: range, of: text)
            fix = TextFix(fix.replacements + quotes.replacements, summary: quotes.summary)
        }
    }

    /// The characters of `line`; nil for one that is too long, before room is made for each.
    private static func characters(of line: String) -> [Character]? {
        line.utf8.count <= longestLine * 4 ? Array(line) : nil
    }

    /// The values without quotes that have `{name}` or `${…}` in them, and can be put in quotes.
    private static func values(of line: [Character]) -> [Range<Int>] {
        guard line.count <= longestLine else { return [] }
        var values: [Range<Int>] = []
        var index = 0
        while index < line.count {
            let character = line[index]
            if character == "#", index == 0 || line[index - 1].isWhitespace { break }
            if character == "\"" || character == "'" {
                index = endOfQuotes(in: line, from: index)
            } else if "&*!".contains(character) {
                index = line[index...].firstIndex(where: \.isWhitespace) ?? line.count
            } else if character.isWhitespace || ",[]}:".contains(character) || (character == "{" && !beginsText(line, at: index))
                || ("-?".contains(character) && (index + 1 == line.count || line[index + 1].isWhitespace))
            {
                index += 1
            } else {
                let (end, isKey) = endOfText(in: line, from: index)
                let text = line[index..<end]
                if !isKey, text.contains("{"), text.contains("}") {
                    values.append(index..<end)
                }
                index = max(end, index + 1)
            }
        }
        return values
    }

    /// Indicates whether the `{` at `index` is the beginning of a text, as of `{user}.json`, and not of a mapping.
    private static func beginsText(_ line: [Character], at index: Int) -> Bool {
        guard let end = line[index...].firstIndex(of: "}"), isName(line[(index + 1)..<end]) else { return false }
        guard let next = line[(end + 1)...].first(where: { !$0.isWhitespace }) else { return false }
        return !",]}#".contains(next)
    }

    /// The end of the text without quotes that begins at `start`, its braces in pairs; and whether it is a key.
    private static func endOfText(in line: [Character], from start: Int) -> (end: Int, isKey: Bool) {
        var depth = 0
        var index = start
        scan: while index < line.count {
            let isLast = index + 1 == line.count
            switch line[index] {
            case "{": depth += 1
            case "}" where depth == 0: break scan
            case "}": depth -= 1
            case ",", "]": if depth == 0 { break scan }
            case "#": if depth == 0, line[index - 1].isWhitespace { break scan }
            case ":": if depth == 0, isLast || line[index + 1].isWhitespace || ",]}".contains(line[index + 1]) { return (index, true) }
            default: break
            }
            index += 1
        }
        // A brace that does not close is none that quotes would help.
        guard depth == 0 else { return (line.count, true) }
        while index > start + 1, line[index - 1].isWhitespace { index -= 1 }
        return (index, false)
    }

    private static func endOfQuotes(in line: [Character], from start: Int) -> Int {
        var index = start + 1
        while index < line.count, line[index] != line[start] { index += line[start] == "\"" && line[index] == "\\" ? 2 : 1 }
        return min(index + 1, line.count)
    }

    private static func isName(_ characters: ArraySlice<Character>) -> Bool {
        !characters.isEmpty && characters.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
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
