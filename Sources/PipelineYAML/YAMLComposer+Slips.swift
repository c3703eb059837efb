internal import Pipeline
internal import PipelineConfig

extension YAMLComposer {
    /// Reports a key that has more in it than a name, as `memory { type` of `memory { type: memory }`; false for a sound one.
    mutating func reportSlip(inKey key: String, at range: TextRange) -> Bool {
        var bytes = key
        guard bytes.withUTF8({ $0.contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") || $0 > 0x7F } }) else { return false }
        if let space = key.unicodeScalars.firstIndex(where: YAMLSlip.isNoBreakSpace), key.unicodeScalars[..<space].last == ":" {
            report(
                .yamlSyntax, "a no-break space, which YAML does not read as a space", at: range, help: "put a plain space after the `:`")
            return true
        }
        let name = key.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) }
        let rest = key.dropFirst(name.count)
        guard !name.isEmpty, let open = rest.first(where: { $0 != " " }), rest.first == " ", open == "{" || open == "[" else {
            return false
        }
        let (word, start) = (String(name).shortened, range.start)
        let after = TextPosition(line: start.line, column: start.column + name.unicodeScalars.count)
        let isElement = lines[start.line].unicodeScalars.prefix(start.column - 1).contains("-")
        report(
            .yamlSyntax,
            isElement
                ? "`\(word)` stands before the braces: a tier or a feed with fields names its source in `source`"
                : "a `:` is missing after `\(word)`", at: TextRange(start, after),
            help: isElement ? "put it into the braces: `{ source: \(word), … }`" : "write `\(word):`",
            fix: isElement ? nil : TextFix([TextFix.Replacement(TextRange(after, after), with: ":")], summary: "now with a `:`"))
        return true
    }

    /// The text that a plain scalar was meant to be, in which typographic signs stand where YAML wants its own: reported, with the edit.
    mutating func withoutSlips(_ text: String, at range: TextRange) -> String {
        guard !text.isASCII, let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else {
            return text
        }
        if range.start.line < range.end.line { reportNoBreakIndentation(in: range) }
        if YAMLSlip.isCurlyQuote(first), YAMLSlip.isCurlyQuote(last), text.unicodeScalars.count > 1 {
            let inner = String(text.unicodeScalars.dropFirst().dropLast())
            report(
                .malformed, "curly quotes, which YAML reads as letters", at: range,
                help: "use straight ones: `\(TextFix.quoted(inner).shortened)`", fix: replacing(range, with: TextFix.quoted(inner)))
            return inner
        }
        if YAMLSlip.isNoBreakSpace(first), range.start.column <= indent(ofLine: range.start.line) {
            reportNoBreakIndentation(ofLine: range.start.line)
            return text
        }
        let trimmed = Self.trimmed(text)
        guard trimmed.utf8.count < text.utf8.count, !trimmed.isEmpty else { return text }
        report(
            .malformed,
            "a no-break space \(YAMLSlip.isNoBreakSpace(first) ? "before" : "after") `\(trimmed.shortened)`, which YAML reads as a letter",
            at: range, help: "remove it", fix: replacing(range, with: trimmed))
        return trimmed
    }

    /// Reports lines that go on with a text only because a no-break space is no indentation to YAML.
    mutating func reportNoBreakIndentation(in range: TextRange) {
        for number in (range.start.line + 1)...max(range.start.line + 1, range.end.line) { reportNoBreakIndentation(ofLine: number) }
    }

    private mutating func reportNoBreakIndentation(ofLine number: Int) {
        let scalars = Array(indentation(ofLine: number))
        guard let first = scalars.firstIndex(where: YAMLSlip.isNoBreakSpace) else { return }
        let end = TextPosition(line: number, column: scalars.count + 1)
        report(
            .yamlSyntax, "a no-break space in the indentation, which YAML does not take for a space",
            at: TextRange(TextPosition(line: number, column: first + 1), end), help: "indent with plain spaces",
            fix: TextFix(
                [.init(TextRange(TextPosition(line: number, column: 1), end), with: String(repeating: " ", count: scalars.count))],
                summary: "now plain spaces"))
    }

    private static func trimmed(_ text: String) -> String {
        var rest = Substring(text).unicodeScalars
        while let first = rest.first, YAMLSlip.isNoBreakSpace(first) { rest.removeFirst() }
        while let last = rest.last, YAMLSlip.isNoBreakSpace(last) { rest.removeLast() }
        return String(rest)
    }

    private func replacing(_ range: TextRange, with text: String) -> TextFix? {
        range.start.line == range.end.line ? TextFix([TextFix.Replacement(range, with: text)], summary: "now `\(text.shortened)`") : nil
    }
}
