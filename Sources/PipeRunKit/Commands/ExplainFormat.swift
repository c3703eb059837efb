internal import ArgumentParser

/// How `explain` prints.
enum ExplainFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
}
