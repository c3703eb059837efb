internal import ArgumentParser

/// How `compare` prints what it found.
enum CompareFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case csv
    case svg
}
