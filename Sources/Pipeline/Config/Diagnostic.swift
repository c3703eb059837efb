/// One problem of a configuration, in the user's words, at its place.
public struct Diagnostic: Sendable, Hashable {
    /// How bad it is.
    public enum Severity: String, Sendable {
        /// The configuration cannot be used.
        case error
        /// It can be used and probably does not do what was meant.
        case warning
    }

    /// Another place that explains the problem.
    public struct Related: Sendable, Hashable {
        /// Where; nil for a remark without a place.
        public let range: TextRange?
        /// What there is to see.
        public let message: String

        /// A remark about `range`.
        public init(_ message: String, at range: TextRange? = nil) {
            self.message = message
            self.range = range
        }

        /// A remark that an alias or a merge at `range` brings the problem to a further place.
        static func use(at range: TextRange) -> Related { Related(wordsOfUse, at: range) }

        var isUse: Bool { message == Self.wordsOfUse }

        private static let wordsOfUse = "it comes in here"
    }

    /// The kind of problem.
    public let code: DiagnosticCode
    /// How bad it is.
    public let severity: Severity
    /// What is wrong: lower case, no full stop, quotes what was written and says what was expected.
    public let message: String
    /// The file as the user named it.
    public let file: String
    /// Where in the file.
    public let range: TextRange
    /// The concrete edit that mends it.
    public let help: String?
    /// Other places to look at.
    public let related: [Related]

    /// A problem at `range` of `file`.
    public init(
        _ code: DiagnosticCode,
        _ message: String,
        file: String,
        range: TextRange,
        help: String? = nil,
        related: [Related] = []
    ) {
        self.init(code, severity: code.severity, message, file: file, range: range, help: help, related: related)
    }

    private init(
        _ code: DiagnosticCode, severity: Severity, _ message: String, file: String, range: TextRange, help: String?, related: [Related]
    ) {
        self.code = code
        self.severity = severity
        self.message = message
        self.file = file
        self.range = range
        self.help = help
        self.related = related
    }
}

extension Diagnostic {
    fileprivate struct Place: Hashable {
        let code: DiagnosticCode
        let range: TextRange
    }

    /// The most remarks that are kept of a problem that comes to many places.
    private static let mostRelated = 8

    /// The same problem with the remarks it does not have.
    fileprivate func adding(_ further: [Related]) -> Diagnostic {
        guard related.count < Self.mostRelated else { return self }
        let added = further.filter { !related.contains($0) }.prefix(Self.mostRelated - related.count)
        return Diagnostic(code, message, file: file, range: range, help: help, related: related + added)
    }

    /// The same problem as an error.
    package var asError: Diagnostic {
        Diagnostic(code, severity: .error, message, file: file, range: range, help: help, related: related)
    }

    /// The same problem in words without secrets.
    func redacted(by redactor: Redactor) -> Diagnostic {
        Diagnostic(
            code, redactor.redacted(message), file: file, range: range, help: help.map(redactor.redacted),
            related: related.map { Related(redactor.redacted($0.message), at: $0.range) })
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

    /// Whether one of them is an error.
    package var hasErrors: Bool {
        contains { $0.severity == .error }
    }
}
