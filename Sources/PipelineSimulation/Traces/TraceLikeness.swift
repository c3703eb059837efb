/// The format that the beginning of a file looks like.
struct TraceLikeness {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The format that it looks like; nil if it looks like none, or like several.
    var format: TraceFormat? { isText ? ofText : ofNumbers }

    /// Indicates whether it certainly is not of `format`. A format that only a reader of lines or of columns can tell counts as possible.
    func contradicts(_ format: TraceFormat) -> Bool {
        switch format {
        case .oraclegeneral: isText || shareOfOracle(isStrict: false) < 0.5
        case .int32be: isText && bytes.count >= 64 || [.oraclegeneral, .int64be, .int32le].contains(ofNumbers)
        case .int32le: isText && bytes.count >= 64 || [.oraclegeneral, .int64be, .int32be].contains(ofNumbers)
        case .int64be: isText && bytes.count >= 64 || ofNumbers == .oraclegeneral
        default: !isText
        }
    }

    /// Indicates whether there are no control characters but those of lines.
    private var isText: Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    private var ofText: TraceFormat {
        let lines = lines
        guard let line = lines.first else { return .text }
        if line.first == UInt8(ascii: "{") { return .pipeRun }
        if Self.fits(AccessLogParser(isCombined: true), line) { return .combined }
        if Self.fits(AccessLogParser(isCombined: false), line) { return .clf }
        if Self.fits(TwitterParser(), line) { return .twitter }
        if lines.prefix(3).allSatisfy({ Self.fits(ARCParser(), $0) }) { return .arc }
        return CSVParser.isHeader(line) || line.contains(UInt8(ascii: ",")) || isTable(by: CSVParser.separators) ? .csv : .text
    }

    /// The reason why a file that could have a key a line is another one, whose format is not read; nil if it may be one.
    var problem: TraceError? {
        guard let words = unread else { return nil }
        return TraceError(
            "the trace looks like \(words), which is not read",
            help: "write its times and keys as csv, below a line `time,key`; `--trace-format text` takes each line for a key")
    }

    private var unread: String? {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "text in UTF-16" }
        guard format == .text, let line = lines.first else { return nil }
        let beginning = String(decoding: line.prefix(20), as: UTF8.self).lowercased()
        if beginning.hasPrefix("#"), lines.contains(where: { String(decoding: $0.prefix(7), as: UTF8.self).lowercased() == "#fields" }) {
            return "a log with a line `#Fields` (W3C)"
        }
        if ["<?xml", "<!doctype", "<html"].contains(where: beginning.hasPrefix) { return "XML or HTML" }
        if beginning == "[" || beginning.hasPrefix("[{") || beginning.hasPrefix("[\"") { return "a JSON list" }
        if beginning == "---" || beginning.hasPrefix("%yaml") { return "YAML" }
        if beginning.hasPrefix("sep=") { return "a csv below a line `sep=`" }
        if lines.allSatisfy(Self.namesItsWords) { return "words with names, as `time=0 key=a`" }
        let names = Self.words(of: line)
        let hasNames = names.count > 1 && TraceColumns.areUsual(names)
        return hasNames || isTable(by: [0x20]) ? "columns with blanks between them" : nil
    }

    /// The first lines, without their ends and without a byte order mark.
    private var lines: [ArraySlice<UInt8>] {
        let text = bytes.starts(with: ByteFeed.byteOrderMark) ? bytes.dropFirst(ByteFeed.byteOrderMark.count) : bytes[...]
        return text.split(separator: UInt8(ascii: "\n"), maxSplits: 20).prefix(20).map { $0.last == 0x0D ? $0.dropLast() : $0 }
            .filter { !$0.trimmed.isEmpty }
    }

    private static func words(of line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] { line.split { $0 == 0x20 || $0 == 0x09 } }

    /// Indicates whether each word says what it is, and one that it is a time or a key.
    private static func namesItsWords(_ line: ArraySlice<UInt8>) -> Bool {
        let pairs = words(of: line).map { $0.split(separator: UInt8(ascii: "="), maxSplits: 1) }
        return pairs.count > 1 && pairs.allSatisfy { $0.count == 2 } && TraceColumns.areUsual(pairs.map { $0[0] })
    }

    /// Indicates whether one of `separators` divides all of several lines into as many columns, of which one has times that do not go back,
    /// perhaps below its name. Tabs need no times, and blanks three columns: they stand in keys, too.
    private func isTable(by separators: [UInt8]) -> Bool {
        let lines = lines
        guard lines.count > 1 else { return false }
        return separators.contains { separator in
            let rows = lines.map { separator == 0x20 ? Self.words(of: $0) : $0.columns(by: separator) }
            let count = rows[0].count
            guard count > (separator == 0x20 ? 2 : 1), rows.allSatisfy({ $0.count == count }) else { return false }
            if separator == 0x09 { return true }
            return (0..<count).contains { column in
                let times = rows.map { Self.time(of: $0[column].trimmed) }
                let below = times.count > 2 && times[0] == nil ? times.dropFirst() : times[...]
                return below.allSatisfy { $0 != nil } && zip(below, below.dropFirst()).allSatisfy { $0 ?? 0 <= $1 ?? 0 }
            }
        }
    }

    /// The time that a column says, in an order of times: seconds, or a date as `2026-01-31`.
    private static func time(of column: ArraySlice<UInt8>) -> Int64? {
        if let seconds = column.seconds { return seconds.nanoseconds }
        let date = column.prefix(10).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard date.map(\.count) == [4, 2, 2] else { return nil }
        return Array(date.joined())[...].unsigned.map { Int64($0) }
    }

    private static func fits(_ parser: some TraceParser, _ line: ArraySlice<UInt8>) -> Bool {
        var (parser, feed) = (parser, ByteFeed(ArrayBytes(Array(line))))
        return (try? parser.next(&feed)) != nil
    }

    private var ofNumbers: TraceFormat? {
        let count = bytes.count / 8
        if bytes.count >= OracleGeneralParser.size * 2, shareOfOracle(isStrict: true) == 1 { return .oraclegeneral }
        guard count >= 16 else { return nil }
        let zeros = (0..<8).map { place in stride(from: place, to: count * 8, by: 8).count { bytes[$0] == 0 } }
        // The upper halves of small numbers are 0, the lower ones not.
        if zeros[..<4].allSatisfy({ $0 == count }), zeros[7] * 2 < count { return .int64be }
        let (first, last) = (zeros[0] + zeros[4], zeros[3] + zeros[7])
        if first * 10 > count * 19, last * 2 < count { return .int32be }
        if last * 10 > count * 19, first * 2 < count { return .int32le }
        return nil
    }

    /// The share of the records that have times that do not go back by more than the window, and a next access that can be.
    ///
    /// - Parameter isStrict: whether the next access must be one of this trace: a later record, or none.
    private func shareOfOracle(isStrict: Bool) -> Double {
        let records = bytes.count / OracleGeneralParser.size
        guard records > 0 else { return 1 }
        var latest: Int64 = 0
        var plausible = 0
        for index in 0..<records {
            let record = bytes[(index * OracleGeneralParser.size)..<((index + 1) * OracleGeneralParser.size)]
            let time = Int64(record.part(0, 4).number())
            let next = Int64(bitPattern: record.part(16, 8).number())
            let canBeNext = isStrict ? next == .max || next < 0 || next > index && next < Self.mostRecords : true
            if time + TraceBuilder.window / 1_000_000_000 >= latest, next >= -2, canBeNext { plausible += 1 }
            latest = max(latest, time)
        }
        return Double(plausible) / Double(records)
    }

    /// The most records that a trace has.
    private static let mostRecords: Int64 = 1 << 33
}
