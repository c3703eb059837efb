@testable import Pipeline

extension Outcome {
    /// The outcome of a fetch that ended in this way.
    init(_ ending: FetchEnding, from source: String, for key: Key) {
        let entry = Entry([], created: Timestamp(nanoseconds: 0))
        let answer: LoadReply.Answer =
            switch ending {
            case .value: .value(entry)
            case .stale: .stale(entry, reason: "expired")
            case .notFound: .notFound(.notFound(created: entry.created))
            case .failed: .failed(isFinal: true)
            }
        self.init(LoadReply(answer, from: source, attempts: []), for: key, at: entry.created)
    }
}
