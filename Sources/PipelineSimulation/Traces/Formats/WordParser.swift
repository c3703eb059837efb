/// A key a line; `*` and empty lines are left out.
struct WordParser: TraceParser {
    func next(_ feed: inout ByteFeed) throws(TraceError) -> TraceItem? {
        while let line = try feed.line() {
            let word = line.trimmed
            if word.isEmpty || word.elementsEqual("*".utf8) { continue }
            guard !word.contains(0) else { throw feed.problem("has a byte 0, which text has not") }
            return .request(RawRequest(key: .text(word)))
        }
        return nil
    }
}
