internal import ArgumentParser

/// How `validate` prints.
enum DiagnosticFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case sarif
    case github
    case junit
}
