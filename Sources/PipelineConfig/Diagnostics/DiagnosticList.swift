internal import Pipeline

/// The problems of one configuration in the order in which they are found, up to a bound.
package struct DiagnosticList {
    /// More problems than anyone reads; a hostile file has more.
    package static let most = 10_000

    /// A moment of the decoding, to ask later what went wrong after it.
    package struct Mark {
        fileprivate let count: Int
        fileprivate let errors: Int
        fileprivate let missingValues: Int
    }

    package private(set) var diagnostics: [Diagnostic] = []
    /// How many errors were reported, and how many of them only because a variable or a file is missing.
    private var errors = 0
    private var missingValues = 0

    /// Whether no further problem is kept. Then one of those that are is an error.
    var isFull: Bool { diagnostics.count > Self.most }
    /// Whether a further problem is kept.
    var hasRoom: Bool { diagnostics.count < Self.most }

    /// The present moment.
    package var mark: Mark { Mark(count: diagnostics.count, errors: errors, missingValues: missingValues) }

    /// Counts a problem, whether it is kept or not.
    mutating func count(_ code: DiagnosticCode) {
        if code.severity == .error { errors += 1 }
        if code.level == .env { missingValues += 1 }
    }

    /// Keeps a problem that was counted.
    mutating func append(_ diagnostic: Diagnostic) {
        diagnostics.append(diagnostic)
        if !hasRoom { diagnostics.append(.tooMany(Self.most, in: diagnostic.file, at: diagnostic.range)) }
    }

    /// The number of errors that were reported after `mark`.
    package func errors(since mark: Mark) -> Int { errors - mark.errors }

    /// Whether one of the problems that were kept after `mark` is an error.
    func hasErrors(since mark: Mark) -> Bool { diagnostics.dropFirst(mark.count).contains { $0.severity == .error } }

    /// Whether nothing but variables and files without a value was reported after `mark`.
    func isSoundInForm(since mark: Mark) -> Bool {
        errors - mark.errors == missingValues - mark.missingValues
    }

    /// Gives the problems after `mark` that have no help the one that `help` makes.
    mutating func addHelp(since mark: Mark, _ help: (Diagnostic) -> String) {
        for index in diagnostics.indices.dropFirst(mark.count) where diagnostics[index].help == nil {
            diagnostics[index] = diagnostics[index].withHelp(help(diagnostics[index]))
        }
    }

    /// Takes back that the last error leaves something unread: it is reported, and what was read is all there is to know.
    mutating func overlookLastError() {
        errors -= 1
    }
}
