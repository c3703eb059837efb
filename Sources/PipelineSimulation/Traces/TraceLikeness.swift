/// What format the beginning of a file looks like.
struct TraceLikeness {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Nil where it looks like none, or like several.
    var format: TraceFormat? { isText ? ofText : ofNumbers }

    /// Whether it certainly is not of `format`. What only a reader of lines or of columns can tell counts as possible.
    func contradicts(_ format: TraceFormat) -> Bool {
        switch format {
        case .oraclegeneral: isText || shareOfOracle(isStrict: false) < 0.5
        case .int32be: isText && bytes.count >= 64 || [.oraclegeneral, .int64be, .int32le].contains(ofNumbers)
        case .int32le: isText && bytes.count >= 64 || [.oraclegeneral, .int64be, .int32be].contains(ofNumbers)
        case .int64be: isText && bytes.count >= 64 || ofNumbers == .oraclegeneral
        default: !isText
        }
    }

    /// Whether there are no control characters but those of lines.
    private var isText: Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    private var ofText: TraceFormat {
        let text = bytes.starts(with: ByteFeed.byteOrderMark) ? bytes.dropFirst(ByteFeed.byteOrderMark.count) : bytes[...]
        let lines = text.split(separator: UInt8(ascii: "\n")).prefix(3)
        guard let line = lines.first else { return .text }
        if line.first == UInt8(ascii: "{") { return .pipeRun }
        if Self.fits(AccessLogParser(isCombined: true), line) { return .combined }
        if Self.fits(AccessLogParser(isCombined: false), line) { return .clf }
        if Self.fits(TwitterParser(), line) { return .twitter }
        if lines.allSatisfy({ Self.fits(ARCParser(), $0) }) { return .arc }
        return line.contains(UInt8(ascii: ",")) ? .csv : .text
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

    /// No trace has more.
    private static let mostRecords: Int64 = 1 << 33
}
