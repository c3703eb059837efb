internal import ArgumentParser

/// How `list` and `links` print.
enum ListFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
}
