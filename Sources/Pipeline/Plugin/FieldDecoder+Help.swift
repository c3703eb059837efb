extension FieldDecoder {
    /// Says of the problems after the first `count` that have no help of their own how `declaration` is written.
    func addHelp(for declaration: FieldDeclaration, since count: Int) {
        addHelp(since: count) { diagnostic in
            Self.help(for: declaration, from: outsideValues[diagnostic.range]?.whole)
        }
    }

    private static func help(for declaration: FieldDeclaration, from variable: String?) -> String {
        let (name, sample) = (declaration.name, declaration.sample)
        if let variable {
            return variable.hasPrefix("file:")
                ? "put such a value into the file: `\(sample)`" : "set the variable to such a value: `\(variable)=\(sample)`"
        }
        // Within braces, where most people write it, it would be a mapping.
        let mustBeQuoted = sample.contains("{") && sample.first.map { !"{[\"'".contains($0) } == true
        return "write `\(name): \(mustBeQuoted ? "\"\(sample)\"" : sample)`" + (declaration.type == .bool ? " or `\(name): false`" : "")
    }

    /// `ttl: [30s]` has brackets around a value that is no list.
    func helpWithoutBrackets(_ node: ConfigNode) -> String? {
        guard case .sequence(let elements) = node.content, elements.count == 1, let element = elements.first, element.scalarText != nil,
            !isSecret(element.range)
        else { return nil }
        return "write `\((memberName ?? fieldName).shortened): \(element.writtenScalar)`"
    }

    /// `command: ls -l` is one text and no list.
    func helpWithBrackets(_ node: ConfigNode) -> String? {
        guard let text = node.scalarText, !text.isEmpty, !isSecret(node.range) else { return nil }
        let hasQuotes = text.contains { "\"'\\[]{}".contains($0) }
        let words = hasQuotes ? [text[...]] : text.split { $0.isWhitespace || $0 == "," }
        let listed = words.map { ConfigNode(.scalar(.init(text: String($0), isPlain: false)), at: node.range).writtenScalar }
        return "write `[\(listed.joined(separator: ", "))]`"
    }

    /// The edit that takes the quotes off a scalar, where it stands between them letter by letter.
    func withoutQuotes(_ node: ConfigNode) -> TextFix? {
        let (start, end) = (node.range.start, node.range.end)
        guard case .scalar(let scalar) = node.content, start.line == end.line,
            end.column - start.column == scalar.text.unicodeScalars.count + 2
        else { return nil }
        let quotes = [start.column, end.column - 1].map {
            TextRange(TextPosition(line: start.line, column: $0), TextPosition(line: start.line, column: $0 + 1))
        }
        return TextFix(quotes.map { TextFix.Replacement($0, with: "") }, summary: "now without quotes")
    }

    /// Whether what stands at `range` is a secret.
    func isSecret(_ range: TextRange) -> Bool { secretPlaces.contains(range) }
}

extension FieldDeclaration {
    /// A value as one would write it.
    fileprivate var sample: String {
        if let example { return example }
        if let bounds, type == .int, let bound = bounds.upper ?? (bounds.lower == "0" ? nil : bounds.lower) { return bound }
        if let defaultText, !defaultText.isEmpty, type != .bool { return defaultText }
        return type.sample
    }
}

extension ConfigNode {
    /// A scalar as it would be written in a list or a mapping on one line.
    fileprivate var writtenScalar: String {
        let text = scalarText?.shortened ?? ""
        return text.isEmpty || text.contains { ",[]{}#:\"'&*".contains($0) } ? "\"\(text)\"" : text
    }
}
