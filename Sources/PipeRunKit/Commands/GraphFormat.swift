internal import ArgumentParser

/// How `graph` draws.
enum GraphFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case mermaid
    case dot
    case svg
    case json
}
