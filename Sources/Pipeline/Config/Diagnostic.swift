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
        self.code = code
        severity = code.severity
        self.message = message
        self.file = file
        self.range = range
        self.help = help
        self.related = related
    }
}

extension Sequence where Element == Diagnostic {
    /// Each problem once, in reading order.
    package func inReadingOrder() -> [Diagnostic] {
        var seen: Set<Diagnostic> = []
        return filter { seen.insert($0).inserted }.sorted {
            ($0.file, $0.range.start, $0.code.rawValue, $0.message) < ($1.file, $1.range.start, $1.code.rawValue, $1.message)
        }
    }

    /// Whether one of them is an error.
    package var hasErrors: Bool {
        contains { $0.severity == .error }
    }
}
