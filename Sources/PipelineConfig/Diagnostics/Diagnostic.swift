/// One problem of a configuration, in the user's words, at its place.
public struct Diagnostic: Sendable, Hashable {
    /// The severity of a problem.
    ///
    /// New cases may come: switch with a `default`.
    public enum Severity: String, Sendable {
        /// The configuration cannot be used.
        case error
        /// The configuration can be used and probably does not do what was meant.
        case warning
        /// The configuration can be used, and something about it is worth knowing.
        case note
    }

    /// Another place that explains the problem.
    public struct Related: Sendable, Hashable {
        /// The place; nil for a remark without one.
        public let range: TextRange?
        /// The remark in words.
        public let message: String

        /// A remark about `range`.
        public init(_ message: String, at range: TextRange? = nil) {
            self.message = message
            self.range = range
        }

        /// A remark that an alias or a merge at `range` brings the problem to a further place.
        static func use(at range: TextRange) -> Related { Related(wordsOfUse, at: range) }

        var isUse: Bool { message == Self.wordsOfUse }

        private static let wordsOfUse = "it is used here"
    }

    /// The kind of problem.
    public let code: DiagnosticCode
    /// The severity of the problem.
    public private(set) var severity: Severity
    /// The problem in words: lower case, no full stop, quotes what was written and says what was expected.
    public private(set) var message: String
    /// The file as the user named it.
    public let file: String
    /// The place in the file.
    public let range: TextRange
    /// The concrete edit that fixes it.
    public private(set) var help: String?
    /// Whether the help is a text of the file, which no quotes enclose.
    private var isHelpWritten = false
    /// Other places to look at.
    public private(set) var related: [Related]
    /// The edit, where it is certain.
    public private(set) var fix: TextFix?

    /// A problem at `range` of `file`, as bad as its code says unless `severity` is given.
    public init(
        _ code: DiagnosticCode,
        _ message: String,
        file: String,
        range: TextRange,
        severity: Severity? = nil,
        help: String? = nil,
        related: [Related] = [],
        fix: TextFix? = nil
    ) {
        self.code = code
        self.severity = severity ?? code.severity
        self.message = message
        self.file = file
        self.range = range
        self.help = help
        self.related = related
        self.fix = fix
    }
}

extension Diagnostic {
    fileprivate struct Place: Hashable {
        let code: DiagnosticCode
        let range: TextRange
    }

    /// The most remarks that are kept of a problem that comes to many places.
    private static let mostRelated = 8

    /// This problem with the remarks that it does not have.
    fileprivate func adding(_ further: [Related]) -> Diagnostic {
        guard related.count < Self.mostRelated else { return self }
        let added = further.filter { !related.contains($0) }.prefix(Self.mostRelated - related.count)
        var result = self
        result.related += added
        return result
    }

    /// The note that there are further problems after the first `count`, which are left out.
    package static func tooMany(_ count: Int, in file: String, at range: TextRange) -> Diagnostic {
        Diagnostic(
            .overLimit, "more than \(count) problems: the rest is left out", file: file, range: range, help: "fix those above first")
    }

    /// This problem as an error.
    package var asError: Diagnostic {
        var result = self
        result.severity = .error
        return result
    }

    /// This problem with `help`.
    ///
    /// - Parameter isWritten: whether the words are those of the file.
    func withHelp(_ help: String, isWritten: Bool = false) -> Diagnostic {
        var result = self
        (result.help, result.isHelpWritten) = (help, isWritten)
        return result
    }

    /// This problem with its words masked.
    package func masked(_ mask: (String) -> String) -> Diagnostic { redacted(mask, strictly: mask) }

    /// This problem in words without secrets. An edit that would have to write one is left to the user.
    ///
    /// - Parameter mask: masks what is a problem's own words; `strictly` what was written by the user without quotes around it.
    func redacted(_ mask: (String) -> String, strictly: (String) -> String) -> Diagnostic {
        var result = self
        result.message = mask(message)
        result.help = help.map { isHelpWritten ? strictly($0) : mask($0) }
        result.related = related.map { Related(mask($0.message), at: $0.range) }
        result.fix = fix?.replacements.contains { strictly($0.text) != $0.text } == true ? nil : fix
        return result
    }
}

extension Sequence where Element == Diagnostic {
    /// Each problem once, in reading order. What aliases and merges bring to several places is one problem with several remarks.
    package func inReadingOrder() -> [Diagnostic] {
        var seen: Set<Diagnostic> = []
        var indexes: [Diagnostic.Place: Int] = [:]
        var result: [Diagnostic] = []
        for diagnostic in self where seen.insert(diagnostic).inserted {
            let place = Diagnostic.Place(code: diagnostic.code, range: diagnostic.range)
            if let index = indexes[place], diagnostic.related.contains(where: \.isUse) || result[index].related.contains(where: \.isUse) {
                result[index] = result[index].adding(diagnostic.related)
            } else {
                indexes[place] = result.count
                result.append(diagnostic)
            }
        }
        return result.sorted {
            ($0.file, $0.range.start, $0.code.rawValue, $0.message) < ($1.file, $1.range.start, $1.code.rawValue, $1.message)
        }
    }

    /// Indicates whether one of them is an error.
    package var hasErrors: Bool {
        contains { $0.severity == .error }
    }
}

/// The edit that certainly fixes a problem: there is nothing to choose, and nothing else changes.
public struct TextFix: Sendable, Hashable {
    /// A stretch of the text and what belongs there.
    public struct Replacement: Sendable, Hashable {
        /// The stretch that goes; empty if something is put in.
        public let range: TextRange
        /// The text that comes.
        public let text: String

        /// `text` in place of what stands at `range`.
        public init(_ range: TextRange, with text: String) {
            self.range = range
            self.text = text
        }
    }

    /// The replacements; their stretches do not overlap.
    public let replacements: [Replacement]
    /// The result of the fix, as it is said after the problem, for example "now `timeout`".
    public let summary: String

    /// The edit that makes all `replacements`.
    public init(_ replacements: [Replacement], summary: String) {
        self.replacements = replacements
        self.summary = summary
    }

    /// Quotes around `text`, which stands at `range` of one line.
    package static func quotes(around range: TextRange, of text: String) -> TextFix {
        let quote = quote(around: text)
        // A `'` within single quotes is written twice.
        let doubled = quote == "'" ? text.unicodeScalars.enumerated().filter { $0.element == "'" }.map(\.offset) : []
        let places =
            [range.start, range.end] + doubled.map { TextPosition(line: range.start.line, column: range.start.column + $0) }
        return TextFix(places.map { Replacement(TextRange($0, $0), with: quote) }, summary: "now in quotes")
    }

    /// `text` in the quotes that ``quotes(around:of:)`` puts around it.
    package static func quoted(_ text: String) -> String {
        let quote = quote(around: text)
        return quote + (quote == "'" ? text.replacing("'", with: "''") : text) + quote
    }

    /// Single quotes where something within double ones would be an escape, or their end.
    private static func quote(around text: String) -> String { text.contains { "\"\\".contains($0) } ? "'" : "\"" }
}

/// The choice of warnings and notes that are left out, and of those that count as errors.
public struct DiagnosticFilter: Sendable {
    /// The reason why a filter cannot be made.
    ///
    /// New cases may come: switch with a `default`.
    public enum Problem: Error, Hashable {
        /// An error cannot be allowed.
        case allowedError(DiagnosticCode)
        /// An error is one already, and cannot be denied.
        case deniedError(DiagnosticCode)
        /// A code is allowed and denied.
        case contradiction(DiagnosticCode)
    }

    private let allowed: Set<DiagnosticCode>
    private let denied: Set<DiagnosticCode>

    /// A filter that drops the warnings and notes `allowed`, and makes errors of those `denied`.
    public init(allowed: Set<DiagnosticCode> = [], denied: Set<DiagnosticCode> = []) throws(Problem) {
        if let code = allowed.filter({ $0.severity == .error }).min(by: { $0.rawValue < $1.rawValue }) { throw .allowedError(code) }
        if let code = denied.filter({ $0.severity == .error }).min(by: { $0.rawValue < $1.rawValue }) { throw .deniedError(code) }
        if let code = allowed.intersection(denied).min(by: { $0.rawValue < $1.rawValue }) { throw .contradiction(code) }
        self.allowed = allowed
        self.denied = denied
    }

    /// The diagnostics that the filter leaves, in the same order.
    public func filtered(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.compactMap { diagnostic in
            if allowed.contains(diagnostic.code), diagnostic.severity != .error { return nil }
            return denied.contains(diagnostic.code) ? diagnostic.asError : diagnostic
        }
    }
}
