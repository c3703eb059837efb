internal import ArgumentParser

/// How `test` prints its results.
enum TestFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case junit
    case tap
    case github

    /// Whether a program reads it, as in CI: a test that keeps others from running is a mistake there.
    var isForCI: Bool { self != .text }
}
