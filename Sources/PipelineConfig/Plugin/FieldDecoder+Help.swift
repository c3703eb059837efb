internal import Pipeline

extension FieldDecoder {
    /// Says of the problems after the first `count` that have no help of their own how `declaration` is written.
    func addHelp(for declaration: FieldDeclaration, since count: Int) {
        addHelp(since: count) { diagnostic in
            help(for: declaration, from: outsideValues[diagnostic.range]?.whole)
        }
    }

    /// An example with the parameters that there are: `https://api.example.org/friends/{id}`.
    func fitted(_ sample: String) -> String {
        guard let open = sample.firstIndex(of: "{"), let close = sample[open...].firstIndex(of: "}"),
            case let name = String(sample[sample.index(after: open)..<close]), Identifier.isValid(name), name != "key", name != "pipeline",
            !parameterNames.contains(name)
        else { return sample }
        let rest = sample[sample.index(after: close)...]
        if let parameter = parameterNames.min() { return "\(sample[..<open]){\(parameter)}\(rest)" }
        return sample[..<open].last == "/" ? "\(sample[..<open].dropLast())\(rest)" : sample
    }

    private func help(for declaration: FieldDeclaration, from variable: String?) -> String {
        let (name, sample) = (declaration.name, fitted(declaration.sample))
        if let variable {
            return variable.hasPrefix("file:")
                ? "put such a value into the file: `\(sample)`" : "set the variable to such a value: `\(variable)=\(sample)`"
        }
        if declaration.type == .url { return "it looks like `\(sample)`" }
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
        guard let words = Self.words(of: text) else { return "put each part into a list of its own elements: `[\"…\", \"…\"]`" }
        return "write `[\(words.map(\.inFlow).joined(separator: ", "))]`".shortened(to: 200)
    }

    /// The words of a list that is written as one text: between commas, or as a shell has them; nil where quotes do not close.
    static func words(of text: String) -> [String]? {
        let hasQuotes = text.contains { "\"'".contains($0) }
        if !hasQuotes, text.contains(",") {
            return text.split(separator: ",").map {
                String($0.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
            }
            .filter { !$0.isEmpty }
        }
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in text {
            if character == quote {
                quote = nil
            } else if quote == nil, "\"'".contains(character) {
                (quote, word) = (character, word ?? "")
            } else if quote == nil, character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return quote == nil ? words + [word].compactMap(\.self) : nil
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

    /// Whether the scalar at `range` is a secret or has one in it.
    func isSecret(_ range: TextRange) -> Bool { secretPlaces.holdsSecret(range) }
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
