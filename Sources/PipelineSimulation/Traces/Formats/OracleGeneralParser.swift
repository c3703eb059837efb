/// Records of 24 bytes: seconds, key, size and the time of the next access, which is not used.
struct OracleGeneralParser: TraceParser {
    static let size = 24
    var isTimed: Bool { true }

    func next(_ feed: inout ByteFeed) throws(TraceError) -> TraceItem? {
        guard let record = try feed.record(of: Self.size) else { return nil }
        let seconds = Int64(record.part(0, 4).number())
        return .request(
            RawRequest(
                time: seconds * 1_000_000_000, key: .number(record.part(4, 8).number()), size: Int64(record.part(12, 4).number())))
    }
}
