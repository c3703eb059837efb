internal import ArgumentParser

/// What `watch` prints.
enum WatchOutput: String, CaseIterable, ExpressibleByArgument {
    case raw
    case changes
    case envelope
}
