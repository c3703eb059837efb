internal import Pipeline

/// Lines that `serve --record` and `fetch --record` wrote.
struct RecordedParser: TraceParser {
    var isTimed: Bool { true }
    var hasWholeSeconds: Bool { false }

    func next(_ feed: inout ByteFeed) throws(TraceError) -> TraceItem? {
        while let line = try feed.line() {
            if line.trimmed.isEmpty { continue }
            guard let fetch = RecordedFetch(line) else {
                throw feed.problem("is not a recorded fetch: \(line.quoted)")
            }
            guard let policy = FetchPolicy(rawValue: fetch.policy) else {
                throw feed.problem("has no policy that there is: \(line.quoted)")
            }
            return .request(
                RawRequest(time: fetch.time, key: .text(Array(fetch.key.utf8)[...]), size: fetch.bytes ?? 0, policy: policy))
        }
        return nil
    }
}
