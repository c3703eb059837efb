internal import Pipeline

/// What the comments of a file allow: `# pipe-run: allow P302 the file is rewritten every minute`.
///
/// Errors cannot be allowed. A comment that allows what is not reported is a warning itself, so that none outlives its reason.
struct AllowComments {
    private struct Allowance: Hashable {
        let code: DiagnosticCode
        let line: Int
    }

    private let file: String
    private var allowances: [Allowance: TextRange] = [:]
    private var problems: [Diagnostic] = []

    init(_ comments: [ConfigComment], file: String) {
        self.file = file
        for comment in comments where problems.count <= DiagnosticList.most { read(comment) }
    }

    /// What is left of `diagnostics`, and what is wrong with the comments.
    func applied(to diagnostics: [Diagnostic]) -> [Diagnostic] {
        guard !allowances.isEmpty || !problems.isEmpty else { return diagnostics }
        var unused = allowances
        let left = diagnostics.filter { diagnostic in
            let allowance = Allowance(code: diagnostic.code, line: diagnostic.range.start.line)
            guard diagnostic.severity != .error, allowances[allowance] != nil else { return true }
            unused[allowance] = nil
            return false
        }
        // Behind an error there may be warnings that have not been found yet.
        guard !diagnostics.hasErrors else { return left + problems }
        return left + problems
            + unused.map { allowance, range in
                Diagnostic(
                    .needlessAllow, "nothing here needs `\(allowance.code.rawValue)` to be allowed", file: file, range: range,
                    help: "remove `\(allowance.code.rawValue)` from the comment, or the comment")
            }
    }
}

extension AllowComments {
    private mutating func read(_ comment: ConfigComment) {
        // The comment ends where its text does.
        var words = Self.words(of: comment.text, from: comment.range.end.column - comment.text.unicodeScalars.count)
        guard let verb = words.first else {
            return report(
                "the comment says nothing after `pipe-run:`", at: comment.range,
                help: "name a code and a reason, as in `# pipe-run: allow P302 cut on purpose`")
        }
        words.removeFirst()
        guard verb.text == "allow" else {
            return report(
                "`\(String(verb.text).shortened)` is unknown after `pipe-run:`: expected `allow`", at: verb.range(in: comment),
                help: "name a code and a reason, as in `# pipe-run: allow P302 cut on purpose`")
        }
        let codes = words.prefix { Self.looksLikeCode($0.text) }
        if codes.isEmpty {
            report(
                "the comment allows no code", at: comment.range,
                help: "name the code and a reason, as in `# pipe-run: allow P302 cut on purpose`")
        }
        for word in codes { allow(word, of: comment) }
    }

    private mutating func allow(_ word: Word, of comment: ConfigComment) {
        let range = word.range(in: comment)
        guard let code = DiagnosticCode(named: String(word.text)) else {
            return report(
                "there is no code `\(String(word.text).shortened)`", at: range,
                help: NearestName.help(
                    for: String(word.text), among: DiagnosticCode.allCases.filter { $0.severity != .error }.map(\.rawValue),
                    noun: "warnings"))
        }
        guard code.severity != .error else {
            return report(
                "`\(code.rawValue)` is an error, and only warnings can be allowed", at: range,
                help: "remove the comment and fix the problem")
        }
        allowances[Allowance(code: code, line: comment.line)] = range
    }

    private mutating func report(_ message: String, at range: TextRange, help: String?) {
        problems.append(Diagnostic(.needlessAllow, message, file: file, range: range, help: help))
    }

    private struct Word {
        let text: Substring
        /// Where it begins in its line.
        let column: Int

        func range(in comment: ConfigComment) -> TextRange {
            let line = comment.range.end.line
            return TextRange(
                TextPosition(line: line, column: column), TextPosition(line: line, column: column + text.unicodeScalars.count))
        }
    }

    /// The words between spaces, commas and colons of a text that begins at `column`.
    private static func words(of text: String, from column: Int) -> [Word] {
        var (place, column) = (text.startIndex, column)
        return text.split { $0.isWhitespace || $0 == "," || $0 == ":" }.map { word in
            column += text.unicodeScalars.distance(from: place, to: word.startIndex)
            place = word.startIndex
            return Word(text: word, column: column)
        }
    }

    /// `P302`, and what was meant to be one: `P30`, `P3002`.
    private static func looksLikeCode(_ word: Substring) -> Bool {
        let digits = word.dropFirst()
        return ["P", "p"].contains(word.first) && !digits.isEmpty && digits.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
}

/// A comment that is written for this program: `# pipe-run: …`.
public struct ConfigComment: Sendable, Hashable {
    /// The text after `pipe-run:`.
    public let text: String
    /// The place of the comment, from its `#` to the end of the line.
    public let range: TextRange
    /// The line that it speaks of: its own, or the next that is more than a comment when it stands alone.
    public let line: Int

    /// A comment at `range` about `line`.
    public init(text: String, range: TextRange, line: Int) {
        self.text = text
        self.range = range
        self.line = line
    }
}
