internal import Pipeline

/// Lines of a web server's log, in the common format or the combined one.
struct AccessLogParser: TraceParser {
    /// Indicates whether referrer and agent must stand behind the size.
    let isCombined: Bool
    var isTimed: Bool { true }

    func next(_ feed: inout ByteFeed) throws(TraceError) -> TraceItem? {
        while let line = try feed.line() {
            if line.trimmed.isEmpty { continue }
            guard let entry = Self.entry(of: line), !isCombined || entry.quotes >= 2 else {
                throw feed.problem("is not of the \(isCombined ? "combined" : "common") log format: \(line.quoted)")
            }
            let words = entry.request.split(separator: 0x20)
            guard words.count >= 2, words[0].elementsEqual("GET".utf8) || words[0].elementsEqual("HEAD".utf8),
                200..<400 ~= entry.status || entry.status == 404
            else { return .other }
            return .request(RawRequest(time: entry.seconds * 1_000_000_000, key: .text(words[1]), size: entry.size))
        }
        return nil
    }

    /// The content of a line.
    private struct Entry {
        let seconds: Int64
        let request: ArraySlice<UInt8>
        let status: UInt64
        let size: Int64
        /// The number of texts in quotes behind the size.
        let quotes: Int
    }

    private static func entry(of line: ArraySlice<UInt8>) -> Entry? {
        guard let open = line.firstIndex(of: UInt8(ascii: "[")), let close = line[open...].firstIndex(of: UInt8(ascii: "]")),
            let seconds = seconds(of: line[(open + 1)..<close]), let (request, rest) = quoted(line[(close + 1)...])
        else { return nil }
        let words = rest.split(separator: 0x20)
        guard words.count >= 2, words[0].count == 3, let status = words[0].unsigned,
            let size = words[1].elementsEqual("-".utf8) ? 0 : words[1].byteCount
        else { return nil }
        var quotes = 0
        var behind = rest
        while let next = quoted(behind) { (quotes, behind) = (quotes + 1, next.rest) }
        return Entry(seconds: seconds, request: request, status: status, size: size, quotes: quotes)
    }

    /// The next text in quotes, and what is behind it. A backslash keeps a quote from ending it.
    private static func quoted(_ bytes: ArraySlice<UInt8>) -> (text: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
        let quote = UInt8(ascii: "\"")
        guard let open = bytes.firstIndex(of: quote) else { return nil }
        var index = open + 1
        while index < bytes.endIndex, bytes[index] != quote { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        guard index < bytes.endIndex else { return nil }
        return (bytes[(open + 1)..<index], bytes[(index + 1)...])
    }

    /// The seconds since 1970 of `10/Oct/2000:13:55:36 -0700`.
    private static func seconds(of text: ArraySlice<UInt8>) -> Int64? {
        guard text.count == 26, let day = text.part(0, 2).unsigned,
            let month = CivilDate.monthNames.firstIndex(where: { $0.utf8.elementsEqual(text.part(3, 3)) }),
            let year = text.part(7, 4).unsigned,
            let hour = text.part(12, 2).unsigned, let minute = text.part(15, 2).unsigned, let second = text.part(18, 2).unsigned,
            let zone = text.part(22, 4).unsigned, 1...31 ~= day, 1970...2260 ~= year, hour < 24, minute < 60, second <= 60
        else { return nil }
        let sign: Int64
        switch text.part(21, 1).first {
        case UInt8(ascii: "+"): sign = 1
        case UInt8(ascii: "-"): sign = -1
        default: return nil
        }
        let days = Int64(CivilDate(year: Int(year), month: month + 1, day: Int(day)).days)
        let offset = Int64(zone / 100 * 3600 + zone % 100 * 60)
        return max(0, days * 86_400 + Int64(hour * 3600 + minute * 60 + second) - sign * offset)
    }
}
