internal import Pipeline
internal import PipelineConfig

/// Finds the parameters of a query, by the rules by which SQLite finds its tokens (https://www.sqlite.org/draft/tokenreq.html): not in
/// quotes, and not in comments.
struct SQLScanner {
    /// The place where a parameter is named, in Unicode scalars of the scalar that the query is; nil if a variable gives the text.
    struct Use {
        let name: String
        let part: Range<Int>?
        /// The place in the query as SQLite gets it, in bytes.
        let range: Range<Int>
    }

    struct Problem {
        let message: String
        let part: Range<Int>?
        let help: String?
        /// Indicates whether it may be meant.
        var isHarmless = false
    }

    private enum Place: Equatable {
        case code
        /// A text in quotes that end with this; what it holds so far, and where it began, if in the file.
        case quotes(Unicode.Scalar, content: String, start: Int?)
        case lineComment
        case comment
    }

    /// The query as SQLite gets it.
    private(set) var text = ""
    private(set) var uses: [Use] = []
    private(set) var values: [String: String] = [:]
    private(set) var problems: [Problem] = []
    private var place = Place.code
    private var firstWord: String?
    private var hasEnded = false
    private var isSecond = false
    /// The scalars between two variables, and where each stands; nowhere where a variable gives them.
    private var scalars: [Unicode.Scalar] = []
    private var offsets: [Int] = []

    /// A scanner of `text`, in which variables are values; unless all of it is one variable: that is the query then.
    ///
    /// - Parameter isComplete: whether every variable has a value; where one is missing, so is what it would give.
    init(_ text: InterpolatedText, isComplete: Bool = true) {
        for piece in text.pieces {
            switch piece {
            case .literal(let literal, let offset):
                scalars += literal.unicodeScalars
                offsets += offset..<(offset + literal.unicodeScalars.count)
            case .value(let value, _) where text.pieces.count == 1: scalars = Array(value.unicodeScalars)
            case .value(let value, let name):
                read()
                bind(value, of: name)
            }
        }
        read()
        if isComplete { finish() }
    }
}

extension SQLScanner {
    private mutating func bind(_ value: String, of name: String) {
        switch place {
        case .code:
            // No parameter has such a name.
            let number = "\(values.count + 1)"
            text += "@" + number
            values[number] = value
            if firstWord == nil { firstWord = "" }
            if value.utf8.contains(0) { problem("the value of `${\(name.shortened)}` has a NUL character in it", nil) }
        case .quotes:
            problem(
                "`${\(name.shortened)}` stands in quotes, and its value would be taken for SQL", nil,
                help: "take it out of the quotes: a variable is a value there, as `'%' || ${\(name.shortened)}`")
        // A line break in the value would end the comment.
        case .lineComment, .comment: break
        }
    }

    /// Reads what stands up to the next variable, or to the end.
    private mutating func read() {
        var index = 0
        while index < scalars.count {
            let next: Int
            switch place {
            case .code: next = readCode(at: index)
            case .quotes(let end, let content, let start): next = readQuotes(at: index, until: end, content, from: start)
            case .lineComment:
                if scalars[index] == "\n" { place = .code }
                next = index + 1
            case .comment:
                let isEnd = scalars[index] == "*" && follows("/", index)
                if isEnd { place = .code }
                next = index + (isEnd ? 2 : 1)
            }
            text.unicodeScalars.append(contentsOf: scalars[index..<next])
            index = next
        }
        scalars = []
        offsets = []
    }

    /// Reads one token that begins at `index`; gives where the next begins.
    private mutating func readCode(at index: Int) -> Int {
        let scalar = scalars[index]
        switch scalar {
        case " ", "\t", "\n", "\r", "\u{C}": return index + 1
        case "-" where follows("-", index):
            place = .lineComment
            return index + 2
        case "/" where follows("*", index):
            place = .comment
            return index + 2
        case ";":
            hasEnded = firstWord != nil
            return index + 1
        default: break
        }
        if hasEnded, !isSecond {
            isSecond = true
            problem("a second statement begins here", index..<(index + 1), help: "a query is one statement; remove what follows the `;`")
        }
        switch scalar {
        case "'", "\"", "`": place = .quotes(scalar, content: "", start: offset(index))
        case "[": place = .quotes("]", content: "", start: offset(index))
        case ":", "@", "$", "#": return readParameter(at: index)
        case "?":
            problem("a parameter is named", index..<(index + 1), help: "write `:name` with the name of a parameter in place of `?`")
        case "{": readBraces(at: index)
        case _ where Self.isName(scalar):
            let end = endOfName(at: index)
            if firstWord == nil { firstWord = word(index..<end).lowercased() }
            return end
        default: break
        }
        if firstWord == nil { firstWord = String(scalar) }
        return index + 1
    }

    private mutating func readParameter(at index: Int) -> Int {
        let end = endOfParameter(at: index)
        guard scalars[index..<end].contains(where: Self.isName) else { return end }
        let name = word((index + 1)..<end)
        if Identifier.isValid(name), scalars[index] == ":" {
            let start = text.utf8.count
            uses.append(Use(name: name, part: part(index..<end), range: start..<(start + 1 + name.utf8.count)))
        } else {
            let isName = Identifier.isValid(name)
            problem(
                "`\(word(index..<end).shortened)` does not name a parameter", index..<end,
                help: isName ? "write `:\(name.shortened)`" : "a parameter is written `:name`")
        }
        return end
    }

    private mutating func readBraces(at index: Int) {
        let end = endOfName(at: index + 1)
        let name = word((index + 1)..<end)
        guard end < scalars.count, scalars[end] == "}", Identifier.isValid(name) else { return }
        problem(
            "`{\(name.shortened)}` cannot be used in a query, which takes bound values only", index..<(end + 1),
            help: "write `:\(name.shortened)`")
    }

    private mutating func readQuotes(at index: Int, until end: Unicode.Scalar, _ content: String, from start: Int?) -> Int {
        var content = content
        guard scalars[index] == end else {
            content.unicodeScalars.append(scalars[index])
            place = .quotes(end, content: content, start: start)
            return index + 1
        }
        // The quote itself, doubled.
        if end != "]", follows(end, index) {
            place = .quotes(end, content: content + " ", start: start)
            return index + 2
        }
        place = .code
        if end == "'" || end == "\"" { reportParameter(in: content, start.flatMap { start in offset(index).map { start..<($0 + 1) } }) }
        return index + 1
    }

    /// Reports what looks like a parameter in quotes: it is text, and seldom meant.
    private mutating func reportParameter(in content: String, _ part: Range<Int>?) {
        if content.hasPrefix(":"), Identifier.isValid(content.dropFirst()) {
            note(
                "`\(content.shortened)` in quotes is text, not a parameter", part, help: "remove the quotes: `\(content.shortened)`")
        } else if let match = content.firstMatch(of: /\{([A-Za-z_][A-Za-z0-9_]*)\}/) {
            note(
                "`\(String(match.0).shortened)` in a query is text, not a parameter", part,
                help: "write `:\(String(match.1).shortened)` outside of quotes, as `'%' || :\(String(match.1).shortened)`")
        }
    }

    private mutating func finish() {
        if text.utf8.contains(0) {
            problem("there is a NUL character in it", nil)
        } else if firstWord == nil {
            problem("it is empty", nil)
        } else if let firstWord, !firstWord.isEmpty, !["select", "with", "values", "pragma", "explain"].contains(firstWord) {
            problem("a query only reads, and cannot begin with `\(firstWord.shortened)`", nil, help: "write `SELECT … FROM …`")
        }
    }
}

extension SQLScanner {
    private mutating func problem(_ message: String, _ range: Range<Int>?, help: String? = nil) {
        problems.append(Problem(message: message, part: range.flatMap(part), help: help))
    }

    private mutating func note(_ message: String, _ part: Range<Int>?, help: String) {
        problems.append(Problem(message: message, part: part, help: help, isHarmless: true))
    }

    private func offset(_ index: Int) -> Int? { offsets.isEmpty ? nil : offsets[index] }

    private func part(_ range: Range<Int>) -> Range<Int>? {
        offset(range.lowerBound).flatMap { start in offset(range.upperBound - 1).map { start..<($0 + 1) } }
    }

    private func follows(_ scalar: Unicode.Scalar, _ index: Int) -> Bool {
        index + 1 < scalars.count && scalars[index + 1] == scalar
    }

    private func word(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }

    private func endOfName(at start: Int) -> Int {
        var end = start
        while end < scalars.count, Self.isName(scalars[end]) { end += 1 }
        return end
    }

    /// The end of the parameter that begins at `start`: SQLite takes Tcl's names for parameters, too: `:a::b`, `:a(b)`.
    private func endOfParameter(at start: Int) -> Int {
        var end = start + 1
        while end < scalars.count {
            if Self.isName(scalars[end]) {
                end += 1
            } else if scalars[end] == ":", follows(":", end) {
                end += 2
            } else if scalars[end] == "(", scalars[(start + 1)..<end].contains(where: Self.isName) {
                let rest = scalars[end...].firstIndex { $0 == ")" || $0.properties.isWhitespace } ?? scalars.count
                return rest < scalars.count && scalars[rest] == ")" ? rest + 1 : rest
            } else {
                break
            }
        }
        return end
    }

    /// Indicates whether SQLite has `scalar` in names.
    private static func isName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "$": true
        default: scalar.value >= 0x80
        }
    }
}
