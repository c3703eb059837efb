internal import ArgumentParser

/// How `test` prints its coverage.
enum CoverageFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case lcov
    case html
    case github

    /// Whether it is a document, beside which nothing else can stand on standard output.
    var isDocument: Bool { [.json, .lcov, .html].contains(self) }
}
