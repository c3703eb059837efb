internal import Pipeline

extension ConfigNode {
    /// The edit that takes the quotes off a scalar, where it stands between them letter by letter.
    var withoutQuotes: TextFix? {
        let (start, end) = (range.start, range.end)
        guard case .scalar(let scalar) = content, start.line == end.line, end.column - start.column == scalar.text.unicodeScalars.count + 2
        else { return nil }
        let quotes = [start.column, end.column - 1].map {
            TextRange(TextPosition(line: start.line, column: $0), TextPosition(line: start.line, column: $0 + 1))
        }
        return TextFix(quotes.map { TextFix.Replacement($0, with: "") }, summary: "now without quotes")
    }

    /// `path: {key}` is a mapping to YAML: the quoted text that was meant for `field`, nil for an element of a list.
    func quotedBraces(for field: String?) -> (help: String, fix: TextFix?)? {
        guard case .mapping(let members) = content, members.count == 1, let member = members.first, member.value.isNull,
            Identifier.isValid(member.key)
        else { return nil }
        let quoted = "\"{\(member.key)}\""
        return (
            "quote the braces: `\(field.map { "\($0): " } ?? "")\(quoted)`",
            range.start.line == range.end.line ? TextFix([TextFix.Replacement(range, with: quoted)], summary: "now in quotes") : nil
        )
    }
}
