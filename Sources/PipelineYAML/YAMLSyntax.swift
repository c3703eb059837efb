internal import Pipeline

/// Puts libyaml's complaints into words that name the edit.
enum YAMLSyntax {
    static func diagnostic(for problem: YAMLParser.Problem, in lines: SourceLines, file: String) -> Diagnostic {
        let start = problem.position
        let line = lines[start.line]
        let isTab = problem.message.contains("cannot start any token") && character(at: start, in: line) == "\t"
        let help =
            isTab
            ? "indent with spaces"
            : [problem.context?.position.line, start.line].compactMap { $0 }.lazy.compactMap { BraceQuoting.mended(lines[$0]) }.first
                .map { "quote the braces: `\($0)`" } ?? help(for: problem)
        let related = problem.context.map { context in
            [Diagnostic.Related(context.message, at: TextRange(context.position, context.position.next))]
        }
        return Diagnostic(
            .yamlSyntax, isTab ? "a tab in the indentation" : words(for: problem), file: file, range: TextRange(start, start.next),
            help: help, related: isTab ? [] : related ?? [])
    }

    private static func words(for problem: YAMLParser.Problem) -> String {
        switch problem.message {
        case "mapping values are not allowed in this context": "a `:` where no key can stand"
        case "could not find expected ':'": "a key without its `:`"
        case "did not find expected key": "expected a key here: the indentation does not fit what stands above"
        case "did not find expected '-' indicator": "expected `-` here: the indentation does not fit the list above"
        case "did not find expected ',' or '}'": "expected `,` or `}`"
        case "did not find expected ',' or ']'": "expected `,` or `]`"
        case "found character that cannot start any token": "a character that nothing can begin with"
        case "found unexpected end of stream": "the text ends within quotes"
        case "did not find expected <document start>": "expected the end of the document: the indentation does not fit what stands above"
        case "control characters are not allowed": "a control character"
        default: problem.message
        }
    }

    private static func help(for problem: YAMLParser.Problem) -> String? {
        switch problem.message {
        case "mapping values are not allowed in this context": "put quotes around a value that contains `: `"
        case "found character that cannot start any token": "put quotes around a value that begins with it"
        default: nil
        }
    }

    private static func character(at position: TextPosition, in line: String) -> Unicode.Scalar? {
        line.unicodeScalars.dropFirst(position.column - 1).first
    }
}

extension TextPosition {
    /// The position one character on.
    fileprivate var next: TextPosition { TextPosition(line: line, column: column + 1) }
}
