internal import Pipeline
internal import PipelineConfig

/// Slips with brackets, commas, quotes, dashes and comments.
extension YAMLSlip {
    /// The number of lines that are looked at for quotes that do not close.
    private static let mostQuotedLines = 50

    /// The slip that is found by looking at the line of `problem` and those above.
    init?(signsOf problem: YAMLParser.Problem, in lines: SourceLines) {
        guard let line = SlippedLine(lines, problem.position.line) else { return nil }
        let column = problem.position.column - 1
        let isAtLineBegin = line.end == 0 || column >= line.end && problem.position.line >= lines.count
        let above = SlippedLine(lines, Self.lineAbove(problem.position.line, in: lines))
        let finders: [() -> YAMLSlip?] = [
            { Self.mergeMarker(near: problem, in: lines) },
            { Self.quotesAbove(line, column, in: lines) },
            { Self.slashes(in: line) ?? above.flatMap { Self.slashes(in: $0) } },
            { Self.withoutSpace(in: line, upTo: column) ?? above.flatMap { Self.unspacedField($0) } },
            { Self.withoutColon(line, problem) },
            { Self.quotesWithin(line, problem) },
            { isAtLineBegin ? nil : Self.closesNothing(in: line, problem, in: lines) },
            { Self.notClosed(problem, line, in: lines) },
            { Self.dash(line, above: above, problem, in: lines) },
            { Self.unspacedDash(line) ?? above.flatMap { Self.unspacedDash($0) } },
            { Self.comma(in: line, at: column, problem) },
            { Self.textAfterQuotes(in: line, at: column, problem) },
            { above.flatMap { Self.indentedTooFar(line, below: $0, problem, in: lines) } },
            { above.flatMap { Self.besideItsElement(line, below: $0, problem) } },
            { Self.betweenLevels(line, problem, in: lines) },
        ]
        guard let slip = finders.lazy.compactMap({ $0() }).first else { return nil }
        self = slip
    }

    init(_ message: String, help: String, _ line: SlippedLine, _ columns: Range<Int>, fix: TextFix? = nil) {
        (self.message, self.help, self.fix) = (message, help, fix)
        range = line.range(columns)
    }

    static func lineAbove(_ number: Int, in lines: SourceLines) -> Int {
        var above = number - 1
        while above > 0, number - above < 20,
            lines[above].allSatisfy(\.isWhitespace) || lines[above].drop(while: \.isWhitespace).first == "#"
        {
            above -= 1
        }
        return above
    }

    /// `<<<<<<< HEAD`, as git leaves it.
    private static func mergeMarker(near problem: YAMLParser.Problem, in lines: SourceLines) -> YAMLSlip? {
        for number in max(1, problem.position.line - 4)...max(1, problem.position.line) {
            guard let line = SlippedLine(lines, number), ["<<<<<<<", "=======", ">>>>>>>"].contains(where: line.text(0..<7).hasPrefix)
            else { continue }
            return YAMLSlip(
                "a marker of a merge conflict",
                help: "keep one of the two sides, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`",
                line, 0..<line.end)
        }
        return nil
    }

    /// Quotes that open in a line above, whose end is what opens quotes in the line of the problem.
    private static func quotesAbove(_ line: SlippedLine, _ column: Int, in lines: SourceLines) -> YAMLSlip? {
        let before = line.scalars.prefix(column)
        for number in stride(from: line.number, to: max(0, line.number - mostQuotedLines), by: -1) {
            guard let above = SlippedLine(lines, number), let open = above.unclosed else { continue }
            guard number == line.number ? open < column : before.contains(above.scalars[open]) else { return nil }
            let text = above.text((open + 1)..<above.scalars.count)
            let isInBraces = above.outside.contains { "{[".unicodeScalars.contains(above.scalars[$0]) }
            let isShown = !isInBraces && !text.isEmpty && text.utf8.count < 100 && !text.contains { "\"'\\".contains($0) }
            return YAMLSlip(
                "these quotes are not closed",
                help: isShown
                    ? "close them at the end of the line: `\(TextFix.quoted(text))`" : "close the quotes on the line where they open",
                above, open..<(open + 1))
        }
        return nil
    }

    /// `// a comment`
    private static func slashes(in line: SlippedLine) -> YAMLSlip? {
        guard
            let index = line.outside.first(where: { index in
                index + 1 < line.end && line.scalars[index] == "/" && line.scalars[index + 1] == "/"
                    && (index == 0 || line.scalars[index - 1] == " ") && (index + 2 == line.end || line.scalars[index + 2] == " ")
            })
        else { return nil }
        return YAMLSlip(
            "`//` begins no comment", help: "begin the comment with `#`", line, index..<(index + 2),
            fix: line.fix(index..<(index + 2), "#", "now `#`"))
    }

    /// `url:"http://h/"`
    private static func withoutSpace(in line: SlippedLine, upTo column: Int) -> YAMLSlip? {
        for colon in line.outside
        where line.scalars[colon] == ":" && colon + 1 < line.end && "\"'".unicodeScalars.contains(line.scalars[colon + 1]) {
            var start = colon
            while start > 0, line.endOfName(from: start - 1) > start - 1 { start -= 1 }
            guard start < colon, colon <= column else { continue }
            let name = line.text(start..<colon)
            return YAMLSlip(
                "a space is missing after `\(name.shortened):`", help: "put a space between the `:` and the quotes", line,
                start..<(colon + 1),
                fix: line.fix((colon + 1)..<(colon + 1), " ", "now with a space"))
        }
        return nil
    }

    /// `type:http`, alone in its line, which makes the line below none that can be read.
    private static func unspacedField(_ line: SlippedLine) -> YAMLSlip? {
        let (start, colon) = (line.start, line.endOfName(from: line.start))
        guard colon > start, colon + 1 < line.end, line.scalars[colon] == ":", line.scalars[colon + 1] != " ",
            !line.text((colon + 1)..<line.end).hasPrefix("//"), !line.text(start..<line.end).contains(" ")
        else { return nil }
        let (name, value) = (line.text(start..<colon), line.text((colon + 1)..<line.end))
        return YAMLSlip(
            "a space is missing after `\(name.shortened):`", help: "write `\("\(name): \(value)".shortened)`", line, start..<line.end,
            fix: line.fix((colon + 1)..<(colon + 1), " ", "now with a space"))
    }

    /// `api { type: http }`, `tiers [memory]`
    private static func withoutColon(_ line: SlippedLine, _ problem: YAMLParser.Problem) -> YAMLSlip? {
        let (start, end) = (line.start, line.endOfName(from: line.start))
        guard end > start, end + 1 < line.end, line.scalars[end] == " " else { return nil }
        let open = line.scalars[end...].firstIndex { $0 != " " } ?? end
        guard open < line.end, line.scalars[open] == "{" || line.scalars[open] == "[", line.content.contains(":"),
            problem.position.column > open
        else { return nil }
        let name = line.text(start..<end)
        if start > line.indent { return line.scalars[open] == "{" ? elementWithBraces(name, line, start..<(open + 1)) : nil }
        return YAMLSlip(
            "a `:` is missing after `\(name.shortened)`", help: "write `\(name.shortened):`", line, start..<end,
            fix: line.fix(end..<end, ":", "now with a `:`"))
    }

    /// `- memory { ttl: 30s }`
    private static func elementWithBraces(_ name: String, _ line: SlippedLine, _ columns: Range<Int>) -> YAMLSlip {
        YAMLSlip(
            "`\(name.shortened)` stands before the braces: a tier or a feed with fields names its source in `source`",
            help: "put it into the braces: `{ source: \(name.shortened), … }`", line, columns,
            fix: line.scalars[columns.upperBound - 1] == "{"
                ? line.fix(columns, "{ source: \(name),", "now `source: \(name.shortened)`") : nil)
    }

    /// A `}` or `]` that nothing opened.
    private static func closesNothing(in line: SlippedLine, _ problem: YAMLParser.Problem, in lines: SourceLines) -> YAMLSlip? {
        guard BraceQuoting.quoted(lines[line.number]) == nil else { return nil }
        let isWithinFlow = problem.context.map { $0.message.contains("flow") && $0.position.line < line.number } ?? false
        var open: [Unicode.Scalar] = []
        for index in line.outside {
            switch line.scalars[index] {
            case "{", "[": open.append(line.scalars[index])
            case "}", "]":
                if open.last == (line.scalars[index] == "}" ? "{" : "[") {
                    open.removeLast()
                } else if !open.isEmpty || !isWithinFlow {
                    let sign = line.text(index..<(index + 1))
                    if open.count == 1, index + 1 == line.end {
                        let closing = sign == "}" ? "]" : "}"
                        return YAMLSlip(
                            "this `\(sign)` does not close the `\(sign == "}" ? "[" : "{")`", help: "write `\(closing)` in its place", line,
                            index..<(index + 1), fix: line.fix(index..<(index + 1), closing, "now `\(closing)`"))
                    }
                    let opening = sign == "}" ? "{" : "["
                    return YAMLSlip(
                        "this `\(sign)` closes nothing", help: "remove it, or put the `\(opening)` that it closes", line,
                        index..<(index + 1))
                } else {
                    return nil
                }
            default: break
            }
        }
        return nil
    }

    /// A `{` or `[` in a line above that has more behind it, and does not close there.
    private static func notClosed(_ problem: YAMLParser.Problem, _ line: SlippedLine, in lines: SourceLines) -> YAMLSlip? {
        guard let context = problem.context, context.message.contains("flow"), let above = SlippedLine(lines, context.position.line) else {
            return nil
        }
        let place = context.position.column - 1
        guard above.number < line.number || problem.position.line >= lines.count, place + 1 < above.end,
            above.scalars.indices.contains(place),
            !above.outside.contains(where: { $0 > place && "}]".unicodeScalars.contains(above.scalars[$0]) }),
            above.scalars[above.end - 1] != ","
        else { return nil }
        let sign = above.text(place..<(place + 1))
        let closing = sign == "{" ? " }" : "]"
        return YAMLSlip(
            "this `\(sign)` is not closed", help: "close it: `\("\(above.text(place..<above.end))\(closing)".shortened(to: 120))`", above,
            place..<(place + 1))
    }

    /// `api` below `- memory`, `-api`, `* api`
    private static func dash(_ line: SlippedLine, above: SlippedLine?, _ problem: YAMLParser.Problem, in lines: SourceLines) -> YAMLSlip? {
        // What is not finished may be complained of in the line below.
        let number = problem.context?.position.line ?? line.number
        let line = problem.message == "could not find expected ':'" && number < line.number ? SlippedLine(lines, number) ?? line : line
        let above = SlippedLine(lines, lineAbove(line.number, in: lines)) ?? above
        let (start, rest) = (line.indent, line.content)
        guard start < line.end else { return nil }
        if line.scalars[start] == "*", start + 1 < line.end, line.scalars[start + 1] == " " {
            return YAMLSlip(
                "`*` begins no element of a list", help: "write `-\(line.text((start + 1)..<line.end).shortened)`", line,
                start..<line.end,
                fix: line.fix(start..<(start + 1), "-", "now `-`"))
        }
        guard let above, above.indent == start, above.indent < above.end else { return nil }
        if above.scalars[start] == "{", rest.hasPrefix("- ") {
            let content = above.content
            return YAMLSlip(
                "a `-` is missing before `\(content.shortened)`", help: "write `- \(content.shortened)`", above, start..<above.end,
                fix: above.fix(start..<start, "- ", "now with a `-`"))
        }
        guard above.scalars[above.indent] == "-" else { return nil }
        if let slip = unspacedDash(line, allowsName: true) { return slip }
        let isElement = line.endOfName(from: start) == line.end || line.scalars[start] == "{" || rest.hasPrefix("source:")
        guard isElement else { return nil }
        return YAMLSlip(
            "a `-` is missing before `\(rest.shortened)`", help: "write `- \(rest.shortened)`", line, start..<line.end,
            fix: line.fix(start..<start, "- ", "now with a `-`"))
    }

    /// `-{ source: api }`, and `-api` where that can be nothing else.
    private static func unspacedDash(_ line: SlippedLine, allowsName: Bool = false) -> YAMLSlip? {
        let start = line.indent
        guard start + 1 < line.end, line.scalars[start] == "-",
            line.scalars[start + 1] == "{" || allowsName && line.endOfName(from: start + 1) == line.end
        else { return nil }
        return YAMLSlip(
            "a space is missing after the `-`", help: "write `- \(line.text((start + 1)..<line.end).shortened)`", line, start..<line.end,
            fix: line.fix((start + 1)..<(start + 1), " ", "now with a space"))
    }

    /// A `,` too many, one too few, or a `:` within a value.
    private static func comma(in line: SlippedLine, at column: Int, _ problem: YAMLParser.Problem) -> YAMLSlip? {
        guard column < line.end else { return nil }
        let isFlow = problem.message.contains("',' or")
        if !isFlow, line.scalars[column] == ",", column + 1 == line.end {
            return YAMLSlip(
                "a `,` at the end of the line", help: "remove it: what stands in lines of its own has no `,` between", line,
                column..<(column + 1),
                fix: line.fix(column..<(column + 1), "", "now without a `,`"))
        }
        guard isFlow || problem.message.hasPrefix("mapping values") else { return nil }
        if line.scalars[column] == ":" { return innerColon(in: line, at: column, isFlow: isFlow) }
        guard isFlow, let last = line.lastWritten(before: column), "\"'}]".unicodeScalars.contains(line.scalars[last]) else { return nil }
        return missingComma(before: column, after: last, in: line)
    }

    /// `{ X-Note: a: b }` has a value with a `:` in it; `{ source: memory ttl: 30s }` lacks a `,`.
    private static func innerColon(in line: SlippedLine, at colon: Int, isFlow: Bool) -> YAMLSlip? {
        guard
            let first = line.outside.last(where: { $0 < colon && line.scalars[$0] == ":" && $0 + 1 < colon && line.scalars[$0 + 1] == " " }
            ),
            let start = line.scalars[(first + 1)..<colon].firstIndex(where: { $0 != " " })
        else { return nil }
        if let space = line.scalars[start..<colon].lastIndex(of: " "), line.endOfName(from: space + 1) == colon,
            let last = line.lastWritten(before: space)
        {
            // Behind the name of a source there is no text: what comes is a field.
            if isFlow, line.scalars[last] == ";" || line.text(0..<first).hasSuffix("source") {
                return missingComma(before: space + 1, after: last, in: line)
            }
            return YAMLSlip(
                isFlow ? "a `,` or quotes are missing" : "two fields in one line",
                help: isFlow
                    ? "put quotes around a value with `: ` in it, or a `,` before the next name"
                    : "quote a value with `: ` in it, or put the second field into a line of its own",
                line, (space + 1)..<colon)
        }
        var end = line.outside.first { isFlow && $0 > colon && ",}]".unicodeScalars.contains(line.scalars[$0]) } ?? line.end
        while end > colon, line.scalars[end - 1] == " " { end -= 1 }
        var name = first
        while name > 0, line.endOfName(from: name - 1) > name - 1 { name -= 1 }
        let (key, value) = (line.text(name..<first), line.text(start..<end))
        if !isFlow, ["type", "source", "pipeline"].contains(line.text(start..<colon)), value.filter({ $0 == " " }).count == 1 {
            return YAMLSlip(
                "a field within a value", help: "write `\("\(key): { \(value) }".shortened(to: 120))`, or put quotes around a text", line,
                start..<end)
        }
        return YAMLSlip(
            "a value with `: ` in it wants quotes", help: "write `\("\(key): \(TextFix.quoted(value))".shortened(to: 120))`", line,
            start..<end,
            fix: .quotes(around: line.range(start..<end), of: value))
    }

    private static func missingComma(before next: Int, after last: Int, in line: SlippedLine) -> YAMLSlip {
        let isSemicolon = line.scalars[last] == ";"
        let isQuoted = "\"'".unicodeScalars.contains(line.scalars[next])
        let end = isQuoted ? line.closing(next) ?? next : line.endOfName(from: next) - 1
        let word = line.text(next..<max(next + 1, end + 1))
        return YAMLSlip(
            isSemicolon ? "a `;` separates no fields" : "a `,` is missing before `\(word.shortened)`",
            help: isSemicolon ? "put a `,` in its place" : "put a `,` between the two: `, \(word.shortened)`", line,
            isSemicolon ? last..<(last + 1) : next..<(next + word.unicodeScalars.count),
            fix: line.fix(isSemicolon ? last..<(last + 1) : (last + 1)..<(last + 1), ",", "now with a `,`"))
    }

    /// `'who's there'`, `"best" friends`
    private static func textAfterQuotes(in line: SlippedLine, at column: Int, _ problem: YAMLParser.Problem) -> YAMLSlip? {
        guard problem.message == "did not find expected key", let quote = line.quotes.last(where: { $0.upperBound < column }),
            !line.outside.contains(where: { "{[".unicodeScalars.contains(line.scalars[$0]) && $0 < quote.lowerBound }),
            line.scalars[(quote.upperBound + 1)..<column].allSatisfy({ $0 == " " })
        else { return nil }
        let (start, sign) = (quote.lowerBound, line.scalars[quote.lowerBound])
        let isWhole = line.scalars[line.end - 1] == sign
        let text = isWhole ? line.text((start + 1)..<(line.end - 1)) : line.text(start..<line.end)
        return YAMLSlip(
            "the text goes on behind its quotes", help: "write `\(TextFix.quoted(text).shortened(to: 120))`", line,
            start..<line.end)
    }

    /// `"["v1"]"`: the quotes end where others within them begin.
    private static func quotesWithin(_ line: SlippedLine, _ problem: YAMLParser.Problem) -> YAMLSlip? {
        guard
            let quote = line.quotes.first(where: {
                $0.upperBound < line.end - 1 && line.endOfName(from: $0.upperBound + 1) > $0.upperBound + 1
            }),
            line.scalars[quote.lowerBound] == "\"", quote.upperBound < problem.position.column,
            let last = line.scalars[..<line.end].lastIndex(of: "\""), last > quote.upperBound
        else { return nil }
        let text = line.text((quote.lowerBound + 1)..<last)
        guard !text.contains("'"), !text.contains("\\"), !text.contains(": ") else { return nil }
        return YAMLSlip(
            "these quotes end within the text", help: "write `'\(text)'`".shortened(to: 120), line, quote.lowerBound..<(last + 1),
            fix: line.fix(quote.lowerBound..<(last + 1), "'\(text)'", "now in single quotes"))
    }
}
