/// Lines `seconds,key,ksize,vsize,client,op,ttl` of Twitter's cluster traces (Yang, Yue and Rashmi, OSDI 2020).
struct TwitterParser: TraceParser {
    var isTimed: Bool { true }

    func next(_ feed: inout ByteFeed) throws(TraceError) -> TraceItem? {
        guard let line = try feed.line() else { return nil }
        let columns = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard columns.count == 7, let seconds = columns[0].seconds, seconds.isWhole, columns[2].unsigned != nil,
            let size = columns[3].byteCount
        else { throw feed.problem("is not of the form `seconds,key,ksize,vsize,client,op,ttl`: \(line.quoted)") }
        guard let operation = TraceRequest.Operation(word: columns[5]) else { return .other }
        return .request(RawRequest(time: seconds.nanoseconds, key: .text(columns[1]), size: size, operation: operation))
    }
}
