internal import ArgumentParser

/// What `fetch` prints.
enum FetchOutput: String, CaseIterable, ExpressibleByArgument {
    case raw
    case envelope
}
