internal import Pipeline

extension ConfigNode {
    /// A longer line is not shown.
    private static let longestLine = 120

    /// The node as it would be written on one line, within brackets or braces too; nil when that would be long, or an alias is in it.
    var onOneLine: String? {
        let line: String? =
            switch content {
            case .scalar: isNull ? nil : writtenScalar
            case .sequence(let elements): Self.joined(elements.map(\.onOneLine)).map { "[\($0)]" }
            case .mapping(let members): Self.onOneLine(members)
            case .alias: nil
            }
        return line.flatMap { $0.utf8.count <= Self.longestLine ? $0 : nil }
    }

    /// `{ source: memory, ttl: 30s }`
    static func onOneLine(_ members: [Member]) -> String? {
        let fields = members.prefix(20).map { member in
            member.merges.isEmpty ? member.value.onOneLine.map { "\(member.key.inFlow): \($0)" } : nil
        }
        guard members.count <= 20, let joined = joined(fields) else { return nil }
        return joined.isEmpty ? "{}" : "{ \(joined) }"
    }

    private static func joined(_ parts: [String?]) -> String? {
        let written = parts.compactMap(\.self)
        return written.count == parts.count ? written.joined(separator: ", ") : nil
    }

    /// A scalar as it would be written in a list or a mapping on one line.
    var writtenScalar: String {
        guard case .scalar(let scalar) = content else { return "" }
        let isRead =
            scalar.isPlain || (CoreSchema.int(scalar.text) == nil && CoreSchema.bool(scalar.text) == nil && !CoreSchema.isNull(scalar.text))
        let text = scalar.text.shortened
        return isRead ? text.inFlow : "\"\(text)\""
    }
}

extension String {
    /// The text as a scalar within brackets or braces.
    var inFlow: String {
        let isSafe =
            !isEmpty && first?.isWhitespace == false && last?.isWhitespace == false && !contains { ",[]{}#\"'&*\\".contains($0) }
            && !contains(": ") && last != ":" && first.map { !"-?!|>@%`:".contains($0) || (self != "-" && first == "-") } == true
        return isSafe ? self : TextFix.quoted(self)
    }
}

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
