/// What a line or a record is.
enum TraceItem {
    case request(RawRequest)
    /// No request of a cache.
    case other
}

/// Reads the lines or records of one format.
protocol TraceParser {
    /// Whether the file says when requests were made.
    var isTimed: Bool { get }
    /// Whether all times so far were whole seconds.
    var hasWholeSeconds: Bool { get }

    /// The next line or record; nil at the end.
    mutating func next(_ feed: inout ByteFeed) throws(TraceError) -> TraceItem?
}

extension TraceParser {
    var isTimed: Bool { false }
    var hasWholeSeconds: Bool { true }
}

extension ByteFeed {
    /// What is wrong with the line that was read last.
    func problem(_ words: String) -> TraceError {
        TraceError("line \(number) at byte \(offset) \(words)")
    }
}
