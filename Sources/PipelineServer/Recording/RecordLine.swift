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
    ///   - key: the text of the key, or of one that stands for it.
    ///   - version: of the payload; nil without one.
    func text(key: String, version: String?) -> String {
        // The text of a key has no character that JSON would escape.
        var text =
            #"{"t":\#(begun.nanoseconds),"key":"\#(key)","policy":"\#(policy.rawValue)","outcome":"\#(outcome.ending.rawValue)","tiers":["#
        var separator = ""
        for attempt in outcome.attempts {
            let milliseconds = attempt.duration == .zero ? "0" : JSONText.milliseconds(attempt.duration.milliseconds).text
            text += #"\#(separator)["\#(Self.escaped(attempt.source))","\#(attempt.outcome.rawValue)",\#(milliseconds)]"#
            separator = ","
        }
        text += "]"
        if let version, let payload { text += #","bytes":\#(payload.count),"version":"\#(version)""# }
        return text + "}"
    }

    /// The text between the quotes of a JSON string. Most names are written as they are, which is quick to see.
    private static func escaped(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { 0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        return isPlain ? name : JSONText.escaped(name)
    }

    /// The value's bytes; nil without a value.
    var payload: [UInt8]? {
        if case .value(let entry) = outcome.result { entry.payload } else { nil }
    }
}
