/// What `fetch` prints.
enum FetchOutput: String, CaseIterable {
    case raw
    case envelope
}
