/// Lines of columns.
struct CSVParser: TraceParser {
    private var places: TraceColumns.Places?
    private let columns: TraceColumns?
    private var separator = separators[0]
    private(set) var hasWholeSeconds = true

    /// The characters that may stand between columns. The first of these that the first line has does so in all of them.
    static let separators = ",;\t|".utf8.map(\.self)

    init(_ columns: TraceColumns?) {
        self.columns = columns
    }

    var isTimed: Bool { places?.time != nil }

    mutating func next(_ feed: inout ByteFeed) throws(TraceError) -> TraceItem? {
        while let line = try feed.line() {
            if line.trimmed.isEmpty { continue }
            guard let places else {
                if let first = try begin(line, feed) { return first }
                continue
            }
            return try item(of: line.columns(by: separator), places, feed)
        }
        return nil
    }

    /// Indicates whether the line names columns.
    static func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
        TraceColumns.areUsual(line.columns(by: separators.first { line.contains($0) } ?? separators[0]))
    }

    /// Finds the columns. Gives what the line says, where it is no header.
    private mutating func begin(_ line: ArraySlice<UInt8>, _ feed: ByteFeed) throws(TraceError) -> TraceItem? {
        separator = Self.separators.first { line.contains($0) } ?? separator
        let names = line.columns(by: separator)
        let header = names.map { String(decoding: $0.trimmed, as: UTF8.self) }
        let columns = if let columns { columns } else { try TraceColumns.usual(in: header, at: feed) }
        let found = try columns.places(in: header)
        places = found
        guard !found.areOfHeader, let item = try? item(of: names, found, feed) else { return nil }
        return item
    }

    private mutating func item(
        of columns: [ArraySlice<UInt8>], _ places: TraceColumns.Places, _ feed: ByteFeed
    ) throws(TraceError) -> TraceItem {
        guard columns.count >= places.count else {
            throw feed.problem("has \(columns.count) columns instead of \(places.count) or more")
        }
        var request = RawRequest(key: .text(columns[places.key]))
        if let place = places.operation {
            guard let operation = TraceRequest.Operation(word: columns[place].trimmed) else { return .other }
            request.operation = operation
        }
        if let place = places.size {
            guard let size = columns[place].trimmed.byteCount else {
                throw feed.problem("has \(columns[place].quoted) for a size in bytes")
            }
            request.size = size
        }
        if let place = places.time {
            guard let time = columns[place].trimmed.seconds else {
                let text = columns[place].quoted
                let isLarge = columns[place].trimmed.unsigned != nil
                throw feed.problem(
                    isLarge
                        ? "has \(text) for a time in seconds, which may be milliseconds or less"
                        : "has no time: \(text) is no time in seconds, expected 0 or more, as in `12.5`")
            }
            request.time = time.nanoseconds
            hasWholeSeconds = hasWholeSeconds && time.isWhole
        }
        return .request(request)
    }
}
