internal import ArgumentParser

/// How `serve` writes a line of its log.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
    /// The time, the level, the event, and `name=value`.
    case text
    /// An object of JSON on one line.
    case json
}
