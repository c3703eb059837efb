internal import Pipeline
internal import PipelineJSON

/// A fetch that ended, as it is recorded.
struct RecordLine: Sendable {
    /// What every line begins with.
    static let beginning = Array(#"{"t":"#.utf8)

    /// When the fetch began, by the wall clock.
    let begun: Timestamp
    let policy: FetchPolicy
    let outcome: Outcome

    /// The line without its end.
    ///
    /// - Parameters:
    ///   - key: the text of the key, or what stands for it.
    ///   - version: of the payload; nil without one.
    func text(key: String, version: String?) -> String {
        var text =
            #"{"t":\#(begun.nanoseconds),"key":"\#(JSONText.escaped(key))","policy":"\#(policy.rawValue)","outcome":"\#(word)","tiers":["#
        for (index, attempt) in outcome.attempts.enumerated() {
            let milliseconds = JSONText.milliseconds(attempt.duration.milliseconds).text
            text += #"\#(index > 0 ? "," : "")["\#(JSONText.escaped(attempt.source))","\#(attempt.outcome.rawValue)",\#(milliseconds)]"#
        }
        text += "]"
        if let version, let payload { text += #","bytes":\#(payload.count),"version":"\#(version)""# }
        return text + "}"
    }

    /// The value's bytes; nil without a value.
    var payload: [UInt8]? {
        if case .value(let entry) = outcome.result { entry.payload } else { nil }
    }

    private var word: String {
        let ending: FetchSummary.Ending =
            switch outcome.result {
            case .value: outcome.isStale ? .stale : .value
            case .notFound: .notFound
            case .failed: .failed
            }
        return ending.rawValue
    }
}
