internal import Pipeline
internal import PipelineConfig

/// A slip of the pen that libyaml complains about in other words, and often in another line.
struct YAMLSlip {
    let message: String
    let help: String
    let range: TextRange
    var fix: TextFix?

    /// The number of lines that are looked at above the one that libyaml names.
    private static let mostLines = 4

    /// Finds the slip that `problem` most likely comes from; nil if it is none of these.
    init?(_ problem: YAMLParser.Problem, in lines: SourceLines) {
        let first = max(
            1, max(problem.position.line - Self.mostLines, min(problem.context?.position.line ?? .max, problem.position.line - 1)))
        let numbers = first...max(first, problem.position.line)
        for number in numbers {
            guard let slip = YAMLSlip(noBreakSpaceIn: lines[number], number) ?? YAMLSlip(curlyQuotesIn: lines[number], number) else {
                continue
            }
            self = slip
            return
        }
        if let slip = YAMLSlip(signsOf: problem, in: lines) {
            self = slip
            return
        }
        switch problem.message {
        case "mapping values are not allowed in this context":
            let above = problem.position.line - 1
            let key = lines[problem.position.line].unicodeScalars.prefix(problem.position.column - 1)
            guard
                let slip = YAMLSlip(fieldsBelow: lines[above], above, key: String(String.UnicodeScalarView(key)))
                    ?? YAMLSlip(withoutColon: lines[above], above)
            else { return nil }
            self = slip
        case "could not find expected ':'":
            let number = problem.context?.position.line ?? problem.position.line
            guard let slip = YAMLSlip(withoutColon: lines[number], number) else { return nil }
            self = slip
        default: return nil
        }
    }

    private init(_ message: String, help: String, line: Int, columns: Range<Int>, fix: TextFix? = nil) {
        self.message = message
        self.help = help
        self.fix = fix
        range = TextRange(
            TextPosition(line: line, column: columns.lowerBound + 1), TextPosition(line: line, column: columns.upperBound + 1))
    }
}

extension YAMLSlip {
    /// Spaces that look like one and are none to YAML.
    static func isNoBreakSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xA0, 0x2000...0x200B, 0x202F, 0x205F, 0x3000: true
        default: false
        }
    }

    static func isCurlyQuote(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x2018...0x201F, 0xAB, 0xBB: true
        default: false
        }
    }

    private init?(noBreakSpaceIn line: String, _ number: Int) {
        let scalars = Array(line.unicodeScalars)
        let places = Self.outsideQuotes(scalars).filter { Self.isNoBreakSpace(scalars[$0]) }
        guard let first = places.first else { return nil }
        self.init(
            "a no-break space, which YAML does not read as a space", help: "replace it with a plain space", line: number,
            columns: first..<(first + 1), fix: Self.replacing(places, in: number, with: " ", "now plain spaces"))
    }

    private init?(curlyQuotesIn line: String, _ number: Int) {
        let scalars = Array(line.unicodeScalars)
        let places = Self.outsideQuotes(scalars).filter { Self.isCurlyQuote(scalars[$0]) }
        guard let first = places.first, !scalars[..<first].contains("#"),
            scalars[..<first].last(where: { $0 != " " }).map({ ":-[{,".unicodeScalars.contains($0) }) ?? true
        else { return nil }
        self.init(
            "a curly quote, which YAML reads as a letter", help: "put straight quotes `\"` in its place", line: number,
            columns: first..<(first + 1),
            fix: scalars.contains("\"") ? nil : Self.replacing(places, in: number, with: "\"", "now straight quotes"))
    }

    /// The places that no straight quotes enclose.
    private static func outsideQuotes(_ scalars: [Unicode.Scalar]) -> [Int] {
        var quote: Unicode.Scalar?
        return scalars.indices.filter { index in
            if let open = quote {
                if scalars[index] == open { quote = nil }
                return false
            }
            if scalars[index] == "\"" || scalars[index] == "'" { quote = scalars[index] }
            return quote == nil
        }
    }

    private static func replacing(_ places: [Int], in line: Int, with text: String, _ summary: String) -> TextFix {
        TextFix(
            places.map {
                TextFix.Replacement(
                    TextRange(TextPosition(line: line, column: $0 + 1), TextPosition(line: line, column: $0 + 2)), with: text)
            }, summary: summary)
    }
}

extension YAMLSlip {
    /// `- memory` with `ttl: 30s` in the line below it.
    private init?(fieldsBelow line: String, _ number: Int, key: String) {
        let (indent, dash, rest) = Self.parts(of: line)
        guard dash != nil, Self.isName(rest) else { return nil }
        let field = key.split(separator: " ").last.map(String.init) ?? ""
        let isSource = field == "type"
        let meant = isSource ? "\(rest):" : "- source: \(rest)"
        self.init(
            "`\(rest.shortened)` has fields below it: a tier or a feed with fields names its source in `source`",
            help: "write `\(meant.shortened)`",
            line: number,
            columns: indent..<(indent + (dash ?? 0) + rest.unicodeScalars.count),
            fix: isSource
                ? nil
                : Self.inserting(
                    "source: ", at: TextPosition(line: number, column: indent + (dash ?? 0) + 1), "now `source: \(rest.shortened)`"))
    }

    /// `memory` alone, `type memory`, `url = http://h/`: a name whose colon is missing.
    private init?(withoutColon line: String, _ number: Int) {
        let (indent, dash, rest) = Self.parts(of: line)
        let name = String(rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) })
        guard name.first?.isLetter == true else { return nil }
        let start = indent + (dash ?? 0)
        let after = TextPosition(line: number, column: start + name.unicodeScalars.count + 1)
        if name.utf8.count == rest.utf8.count {
            // The dash of an element wants another edit.
            guard dash == nil else { return nil }
            self.init(
                "a `:` is missing after `\(name.shortened)`", help: "write `\(name.shortened):`", line: number,
                columns: start..<(start + name.unicodeScalars.count), fix: Self.inserting(":", at: after, "now with a `:`"))
            return
        }
        let gap = rest.dropFirst(name.count)
        let value = gap.drop { $0 == " " || $0 == "=" }
        guard let first = gap.first, first == " " || first == "=", let begin = value.first, begin != ":", !value.isEmpty,
            !value.hasSuffix(":"), gap.contains("=") || "\"'[{$/.~".contains(begin) || !value.contains(" ")
        else { return nil }
        let isSound = !value.contains(": ") && !value.contains(" #")
        self.init(
            "a `:` is missing after `\(name.shortened)`",
            help: isSound && value.utf8.count < 100 && !Credential.isBeside(name)
                ? "write `\(name.shortened): \(value)`" : "put a `:` and a space after it",
            line: number,
            columns: start..<(start + rest.unicodeScalars.count),
            fix: Self.replacing(gap.prefix(gap.count - value.count), after: after, isSound))
    }

    /// The edit that puts `: ` in place of what separates a name and its value; nil if the value would want quotes.
    private static func replacing(_ gap: Substring, after start: TextPosition, _ isSound: Bool) -> TextFix? {
        guard gap.contains("=") else { return inserting(":", at: start, "now with a `:`") }
        let end = TextPosition(line: start.line, column: start.column + gap.unicodeScalars.count)
        return isSound ? TextFix([TextFix.Replacement(TextRange(start, end), with: ": ")], summary: "now with a `:`") : nil
    }

    /// The indentation of a line, the width of a `- ` there, and the text after them without a comment.
    private static func parts(of line: String) -> (indent: Int, dash: Int?, rest: String) {
        let indent = line.prefix { $0 == " " }.count
        var rest = line.dropFirst(indent)
        var dash: Int?
        if rest.hasPrefix("- ") {
            let width = 1 + rest.dropFirst().prefix { $0 == " " }.count
            (dash, rest) = (width, rest.dropFirst(width))
        }
        if rest.hasPrefix("#") { return (indent, dash, "") }
        if let comment = rest.firstRange(of: " #") { rest = rest[..<comment.lowerBound] }
        while rest.last?.isWhitespace == true { rest = rest.dropLast() }
        return (indent, dash, String(rest))
    }

    private static func isName(_ text: String) -> Bool {
        text.first?.isLetter == true && text.allSatisfy { $0.isLetter || $0.isNumber || "_-.".contains($0) }
    }

    private static func inserting(_ text: String, at position: TextPosition, _ summary: String) -> TextFix {
        TextFix([TextFix.Replacement(TextRange(position, position), with: text)], summary: summary)
    }
}
