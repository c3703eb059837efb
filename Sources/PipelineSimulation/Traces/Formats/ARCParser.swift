/// Lines `start count _ n`: a request for each key from start on.
struct ARCParser: TraceParser {
    private var run: Range<UInt64> = 0..<0

    /// More is no request of a storage.
    private static let longestRun: UInt64 = 1 << 20

    mutating func next(_ feed: inout ByteFeed) throws(TraceError) -> TraceItem? {
        while run.isEmpty {
            guard let line = try feed.line() else { return nil }
            let words = line.split { $0 == 0x20 || $0 == 0x09 }
            if words.isEmpty { continue }
            guard words.count == 4, let start = words[0].unsigned, let count = words[1].unsigned, words[2].unsigned != nil,
                words[3].unsigned != nil, count <= Self.longestRun, !start.addingReportingOverflow(count).overflow
            else { throw feed.problem("is not of the form `start count 0 number`: \(line.quoted)") }
            run = start..<(start + count)
        }
        defer { run = (run.lowerBound + 1)..<run.upperBound }
        return .request(RawRequest(key: .number(run.lowerBound)))
    }
}
