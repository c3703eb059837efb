internal import Pipeline

extension ConfigNode {
    /// A longer line helps nobody.
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
        if isSafe { return self }
        return contains { "\"\\".contains($0) } ? "'\(replacing("'", with: "''"))'" : "\"\(self)\""
    }

    private func replacing(_ character: Character, with text: String) -> String {
        map { $0 == character ? text : String($0) }.joined()
    }
}
