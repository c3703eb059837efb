/// Keys of four or eight bytes, without times.
struct NumberParser: TraceParser {
    let size: Int
    var isBigEndian = true

    func next(_ feed: inout ByteFeed) throws(TraceError) -> TraceItem? {
        guard let bytes = try feed.record(of: size) else { return nil }
        return .request(RawRequest(key: .number(bytes.number(isBigEndian: isBigEndian))))
    }
}

extension ArraySlice<UInt8> {
    /// The number that at most eight bytes are.
    func number(isBigEndian: Bool = false) -> UInt64 {
        isBigEndian ? reduce(0) { $0 << 8 | UInt64($1) } : reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The bytes from `start` on, `count` of them.
    func part(_ start: Int, _ count: Int) -> ArraySlice<UInt8> { self[(startIndex + start)..<(startIndex + start + count)] }
}
