internal import Pipeline
internal import PipelineConfig

/// Puts libyaml's complaints into words that name the edit.
enum YAMLSyntax {
    static func diagnostic(for problem: YAMLParser.Problem, in lines: SourceLines, file: String) -> Diagnostic {
        if let slip = YAMLSlip(problem, in: lines) {
            return Diagnostic(.yamlSyntax, slip.message, file: file, range: slip.range, help: slip.help, fix: slip.fix)
        }
        if let context = problem.context, let message = unclosed(problem, in: lines) {
            let end = TextPosition(line: context.position.line, column: context.position.column + 1)
            return Diagnostic(
                .yamlSyntax, message, file: file, range: TextRange(context.position, end), help: help(for: problem, in: lines),
                fix: fix(for: problem, in: lines))
        }
        if problem.message == "could not find expected ':'", let slip = withoutSpace(problem, in: lines) {
            return Diagnostic(
                .yamlSyntax, "a space is missing after `\(slip.name.shortened):`", file: file, range: slip.range,
                help: "write `\(slip.written)`", fix: slip.fix)
        }
        let start = problem.position
        let range = TextRange(start, TextPosition(line: start.line, column: start.column + 1))
        if isTab(problem, in: lines) {
            return Diagnostic(.yamlSyntax, "a tab in the indentation", file: file, range: range, help: "indent with spaces")
        }
        let related = problem.context.flatMap { context in
            contexts[context.message].map {
                Diagnostic.Related(
                    $0, at: TextRange(context.position, TextPosition(line: context.position.line, column: context.position.column + 1)))
            }
        }
        return Diagnostic(
            .yamlSyntax, words(for: problem, in: lines), file: file, range: range, help: help(for: problem, in: lines),
            related: related.map { [$0] } ?? [], fix: fix(for: problem, in: lines))
    }

    /// The problem at the place where something opens that the text ends within.
    private static func unclosed(_ problem: YAMLParser.Problem, in lines: SourceLines) -> String? {
        let isAtEnd =
            problem.position.line >= lines.count
            && lines[problem.position.line].unicodeScalars.dropFirst(problem.position.column - 1).allSatisfy { $0.properties.isWhitespace }
        guard isAtEnd else { return nil }
        switch problem.message {
        case "found unexpected end of stream":
            return problem.context?.message.hasSuffix("quoted scalar") == true ? "these quotes are not closed" : nil
        case "did not find expected ',' or ']'": return "this `[` is not closed"
        case "did not find expected ',' or '}'": return "this `{` is not closed"
        default: return nil
        }
    }

    /// Indicates whether the place is within a line rather than at its first character that is no space.
    private static func isWithinLine(_ position: TextPosition, in lines: SourceLines) -> Bool {
        !lines[position.line].unicodeScalars.prefix(position.column - 1).allSatisfy { $0 == " " }
    }

    private static func isTab(_ problem: YAMLParser.Problem, in lines: SourceLines) -> Bool {
        let isComplaint = ["cannot start any token", "tab character"].contains { problem.message.contains($0) }
        let before = lines[problem.position.line].unicodeScalars.prefix(problem.position.column)
        return isComplaint && before.last == "\t" && before.allSatisfy { " \t-?:".unicodeScalars.contains($0) }
    }

    private static func words(for problem: YAMLParser.Problem, in lines: SourceLines) -> String {
        let isAnchor = problem.context?.message.hasSuffix("an anchor") == true || problem.context?.message.hasSuffix("an alias") == true
        switch problem.message {
        case "did not find expected alphabetic or numeric character" where isAnchor:
            return "a name of letters, digits, `-` and `_` must follow `&` or `*`"
        case "did not find expected key" where isWithinLine(problem.position, in: lines): return "expected the end of the line here"
        default: return messages[problem.message] ?? problem.message
        }
    }

    /// The line with a word in it that most likely lacks its quotes.
    private static func lineWithBraces(_ problem: YAMLParser.Problem, in lines: SourceLines) -> Int? {
        guard messagesAboutBraces.contains(problem.message) else { return nil }
        let numbers = [problem.context?.position.line, problem.position.line].compactMap { $0 }
        return numbers.first { BraceQuoting.quoted(lines[$0]) != nil }
    }

    private static func fix(for problem: YAMLParser.Problem, in lines: SourceLines) -> TextFix? {
        guard messagesAboutBraces.contains(problem.message) else { return nil }
        let numbers = [problem.position.line, problem.context?.position.line].compactMap { $0 }
        return numbers.lazy.compactMap { BraceQuoting.fix(lines[$0], number: $0) }.first ?? path(problem, in: lines)?.fix
    }

    /// A JSONPath without quotes, whose brackets end the value.
    private static func path(_ problem: YAMLParser.Problem, in lines: SourceLines) -> PathQuoting? {
        guard ["did not find expected ',' or '}'", "did not find expected ',' or ']'"].contains(problem.message) else { return nil }
        return PathQuoting(lines[problem.position.line], number: problem.position.line)
    }

    private static func help(for problem: YAMLParser.Problem, in lines: SourceLines) -> String? {
        if let number = lineWithBraces(problem, in: lines), let quoted = BraceQuoting.quoted(lines[number]) {
            return "quote the braces: `\(quoted)`"
        }
        if let path = path(problem, in: lines) { return "quote the path: `\(path.quoted)`" }
        switch problem.message {
        case "did not find expected key" where isWithinLine(problem.position, in: lines):
            return "put quotes around the whole value"
        case "mapping values are not allowed in this context":
            return "put quotes around a value that contains `: `"
        case "did not find expected alphabetic or numeric character": return "put quotes around a text that begins with `&` or `*`"
        case "found character that cannot start any token":
            return "put quotes around a value that begins with it"
        case "could not find expected ':'":
            return "a key is written as in `name: value`; put quotes around text that continues over several lines"
        case "did not find expected key", "did not find expected '-' indicator":
            return "indent with the same number of spaces as the line above"
        case "did not find expected ',' or '}'", "did not find expected ',' or ']'", "did not find expected node content":
            return "put a `,` between two fields, close every `{` and `[`, and quote a text with `,`, `{`, `}`, `[` or `]` in it"
        case "found unexpected end of stream", "found unexpected document indicator": return "close the quotes on the line where they open"
        case "found unknown escape character": return "use single quotes, or `\\\\` for a backslash"
        case "control characters are not allowed": return "use an escape in double quotes, as in `\"\\x07\"`"
        case "did not find expected <document start>": return "begin every field of the configuration in the first column"
        default: return helps[problem.message] ?? "put quotes around the text that is meant to be a value"
        }
    }

    /// `timeout:3s`, with the space that it lacks: `timeout: 3s`.
    private static func withoutSpace(
        _ problem: YAMLParser.Problem, in lines: SourceLines
    ) -> (name: String, written: String, range: TextRange, fix: TextFix)? {
        let position = problem.context?.position ?? problem.position
        let words = lines[position.line].split(whereSeparator: \.isWhitespace)
        guard words.count == 1, let word = words.first, let colon = word.firstIndex(of: ":"), colon < word.index(before: word.endIndex),
            word[..<colon].allSatisfy({ $0 == "_" || $0.isLetter }), !word[colon...].hasPrefix("://")
        else { return nil }
        let start = lines[position.line].unicodeScalars.prefix { $0.properties.isWhitespace }.count + 1
        let place = TextPosition(line: position.line, column: start + word[...colon].unicodeScalars.count)
        return (
            String(word[..<colon]), "\(word[..<colon]): \(word[word.index(after: colon)...])".shortened,
            TextRange(
                TextPosition(line: position.line, column: start),
                TextPosition(line: position.line, column: start + word.unicodeScalars.count)),
            TextFix([TextFix.Replacement(TextRange(place, place), with: " ")], summary: "now with a space")
        )
    }

    private static let messagesAboutBraces: Set<String> = [
        "did not find expected ',' or '}'", "did not find expected ',' or ']'", "did not find expected key",
        "did not find expected node content",
        "mapping values are not allowed in this context",
    ]

    private static let messages = [
        "mapping values are not allowed in this context": "a `:` where no key is allowed",
        "could not find expected ':'": "a key without a `:`",
        "did not find expected key": "expected a key here: the indentation does not match the lines above",
        "did not find expected '-' indicator": "expected `-` here: the indentation does not match the list above",
        "did not find expected ',' or '}'": "expected `,` or `}`",
        "did not find expected ',' or ']'": "expected `,` or `]`",
        "did not find expected node content": "expected a value",
        "found character that cannot start any token": "a character that no value can begin with",
        "found unexpected end of stream": "the text ends too early",
        "found unexpected document indicator": "a document ends within quotes",
        "did not find expected <document start>": "expected the end of the document: the indentation does not match the lines above",
        "control characters are not allowed": "a control character",
        "block sequence entries are not allowed in this context": "a `-` where no list is allowed",
        "mapping keys are not allowed in this context": "a `?` where no key is allowed",
        "block mapping keys are not allowed in this context": "a `?` where no key is allowed",
        "found unknown escape character": "an unknown escape after `\\`",
        "did not find expected hexdecimal number": "an escape without its hexadecimal digits",
        "found invalid Unicode character escape code": "an escape that stands for no character",
        "found a tab character that violates indentation": "a tab in the indentation",
        "found a tab character where an indentation space is expected": "a tab in the indentation",
        "found undefined tag handle": "an undefined tag handle",
        "did not find expected alphabetic or numeric character": "a name of letters, digits, `-` and `_` is missing",
        "did not find expected comment or line break": "expected the end of the line",
        "did not find expected whitespace or line break": "expected a space",
        "found unknown directive name": "an unknown directive",
        "found unexpected non-alphabetical character": "a `%` begins no field",
        "found incompatible YAML document": "a version of YAML that is not 1.1 or 1.2",
    ]

    private static let helps = [
        "block sequence entries are not allowed in this context":
            "begin the list in the line below, or put quotes around a text with `- ` in it",
        "mapping keys are not allowed in this context": "put quotes around a text that begins with `?`",
        "block mapping keys are not allowed in this context": "put quotes around a text that begins with `?`",
        "did not find expected hexdecimal number":
            "write two digits after `\\x`, four after `\\u`, eight after `\\U`; or use single quotes",
        "found invalid Unicode character escape code": "use single quotes, or the escape of another character",
        "found a tab character that violates indentation": "indent with spaces",
        "found a tab character where an indentation space is expected": "indent with spaces",
        "found undefined tag handle": "remove the tag, or put quotes around a text that begins with `!`",
        "did not find expected comment or line break": "begin a new line after it",
        "did not find expected whitespace or line break": "put a space here, or quotes around the text",
        "found unknown directive name": "remove the line that begins with `%`",
        "found unexpected non-alphabetical character": "remove the `%`",
        "found incompatible YAML document": "remove the line that begins with `%YAML`",
    ]

    private static let contexts = [
        "while parsing a block mapping": "the mapping begins here",
        "while parsing a flow mapping": "the `{` stands here",
        "while parsing a block collection": "the list begins here",
        "while parsing a flow sequence": "the `[` stands here",
        "while scanning a quoted scalar": "the quotes open here",
        "while parsing a quoted scalar": "the quotes open here",
        "while scanning a simple key": "the key begins here",
        "while scanning a plain scalar": "the text begins here",
        "while scanning a block scalar": "the text begins here",
    ]
}
