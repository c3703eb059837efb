internal import Pipeline

extension FieldDecoder {
    /// Says of the problems after `mark` that have no help of their own how `declaration` is written.
    ///
    /// - Parameter value: what is written; nil where that could not be read.
    func addHelp(for declaration: FieldDeclaration, since mark: DiagnosticList.Mark, inPlaceOf value: (some FieldValue)?) {
        problems.addHelp(since: mark) {
            help(for: declaration, sample: declaration.sample(inPlaceOf: value as? Int), from: interpolation.whole(at: $0.range))
        }
    }

    /// An example with the parameters that there are: `https://api.example.org/friends/{id}`.
    func fitted(_ sample: String) -> String {
        guard let open = sample.firstIndex(of: "{"), let close = sample[open...].firstIndex(of: "}"),
            case let name = String(sample[sample.index(after: open)..<close]), Identifier.isValid(name), name != "key", name != "pipeline",
            !known.parameters.contains(name)
        else { return sample }
        let rest = sample[sample.index(after: close)...]
        if let parameter = known.parameters.min() { return "\(sample[..<open]){\(parameter)}\(rest)" }
        return sample[..<open].last == "/" ? "\(sample[..<open].dropLast())\(rest)" : sample
    }

    private func help(for declaration: FieldDeclaration, sample: String, from variable: String?) -> String {
        let (name, sample) = (declaration.name, fitted(sample))
        if let variable {
            return variable.hasPrefix("file:")
                ? "put such a value into the file: `\(sample)`" : "set the variable to such a value: `\(variable)=\(sample)`"
        }
        if declaration.type == .url { return "expected a URL such as `\(sample)`" }
        // Within braces, where most people write it, it would be a mapping.
        let mustBeQuoted = sample.contains("{") && sample.first.map { !"{[\"'".contains($0) } == true
        return "write `\(name): \(mustBeQuoted ? "\"\(sample)\"" : sample)`" + (declaration.type == .bool ? " or `\(name): false`" : "")
    }

    /// `ttl: [30s]` has brackets around a value that is no list.
    func helpWithoutBrackets(_ node: ConfigNode) -> String? {
        guard case .sequence(let elements) = node.content, elements.count == 1, let element = elements.first, element.scalarText != nil,
            !secrets.holds(element.range)
        else { return nil }
        return "write `\((field.memberName ?? fieldName).shortened): \(element.writtenScalar)`"
    }

    /// `command: ls -l` is one text and no list.
    func helpWithBrackets(_ node: ConfigNode) -> String? {
        guard let text = node.scalarText, !text.isEmpty, !secrets.holds(node.range) else { return nil }
        if CoreSchema.bool(text) != nil { return "name its elements: `\(fieldName): [NAME]`" }
        // JSON is one text, whatever stands in it.
        if let first = text.first, "{[".contains(first) { return "write `\(fieldName): [\(text.inFlow)]`".shortened(to: 200) }
        guard let words = Self.words(of: text) else { return "make each part an element of a list: `[\"…\", \"…\"]`" }
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
}

extension FieldDeclaration {
    /// A value as one would write it: the greatest in place of a number above that.
    fileprivate func sample(inPlaceOf number: Int?) -> String {
        let (lower, upper) = (bounds?.lower, bounds?.upper)
        if let number, let upper, let most = Int(upper), number > most { return upper }
        if let example { return example }
        if let defaultText, !defaultText.isEmpty, type != .bool { return defaultText }
        guard type == .int else { return type.sample }
        // A least number of 0 mostly turns something off.
        return (lower == "0" ? nil : lower) ?? upper ?? type.sample
    }
}
