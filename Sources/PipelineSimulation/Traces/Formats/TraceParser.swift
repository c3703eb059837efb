internal import Pipeline

/// The content of a line or a record.
enum TraceItem {
    case request(RawRequest)
    /// No request of a cache.
    case other
}

/// Reads the lines or records of one format.
protocol TraceParser {
    /// Indicates whether the file says when requests were made.
    var isTimed: Bool { get }
    /// Indicates whether all times so far were integral seconds.
    var hasWholeSeconds: Bool { get }

    /// The next line or record; nil at the end.
    mutating func next(_ feed: inout ByteFeed) throws(TraceError) -> TraceItem?
}

extension TraceParser {
    var isTimed: Bool { false }
    var hasWholeSeconds: Bool { true }
}

extension ByteFeed {
    /// The problem of the line that was read last.
    func problem(_ words: String) -> TraceError {
        TraceError("line \(number) at byte \(offset) \(words)")
    }
}

/// A request as its file has it.
struct RawRequest {
    /// A key as its file has it.
    enum RawKey {
        case text(ArraySlice<UInt8>)
        case number(UInt64)
    }

    /// Nanoseconds since a moment of the file's own; 0 without times.
    var time: Int64 = 0
    var key: RawKey
    var size: Int64 = 0
    var operation = TraceRequest.Operation.fetch
    var policy = FetchPolicy.default
}

/// Lines `start count _ n`: a request for each key from start on.
struct ARCParser: TraceParser {
    private var run: Range<UInt64> = 0..<0

    /// The longest run: a longer one is no request of a storage.
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
