/// Reads an event stream (WHATWG HTML, section 9.2.6) that comes in parts, cut anywhere. Pure.
///
/// It keeps at most one event: what is longer than the limit ends the reading. What an unfinished event holds at the end of the stream is
/// dropped with the reader, as the specification wants it.
package struct EventStreamReader {
    /// An item of a stream.
    package enum Item: Sendable, Equatable {
        /// An event with data, as text, and its name: `message` where it has none.
        case event([UInt8], name: String)
        /// The id of the last event has changed. Comes before the event that it belongs to.
        case id(String)
        /// The pause before a reconnect, in milliseconds.
        case retry(Int64)
        /// A line without content, by which a server shows that it lives.
        case comment
    }

    /// An event, or a line, is longer than the limit.
    package struct TooLong: Error {}

    private static let (lineFeed, carriageReturn, colon) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: ":"))
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// A field's name, colon and space beside a value of the longest kind.
    private static let room = 16

    private let limit: Int
    /// The number of bytes of a mark at the start of the stream that have come; nil after the start.
    private var mark: Int? = 0
    private var line: [UInt8] = []
    private var isComment = false
    private var wasCarriageReturn = false
    private var data: [UInt8] = []
    private var hasData = false
    private var name = ""
    private var id = ""
    private var lastID: String

    /// A reader at the start of a stream.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of an event's data.
    ///   - lastID: the id of the last event of an earlier stream, which holds until this one names another.
    package init(limit: Int, lastID: String = "") {
        self.limit = limit
        self.lastID = lastID
        id = lastID
    }

    /// Takes the next part of the stream, and gives what it completes to `take`, in order.
    package mutating func read(_ bytes: some Sequence<UInt8>, _ take: (Item) -> Void) throws(TooLong) {
        for byte in bytes { try read(byte, take) }
    }

    private mutating func read(_ byte: UInt8, _ take: (Item) -> Void) throws(TooLong) {
        if let count = mark {
            if byte == Self.byteOrderMark[count] {
                mark = count == 2 ? nil : count + 1
                return
            }
            mark = nil
            // The bytes before were no mark.
            for earlier in Self.byteOrderMark[..<count] { try read(earlier, take) }
        }
        defer { wasCarriageReturn = byte == Self.carriageReturn }
        switch byte {
        case Self.lineFeed where wasCarriageReturn: break
        case Self.lineFeed, Self.carriageReturn: try endLine(take)
        case Self.colon where line.isEmpty: isComment = true
        case _ where isComment: break
        default:
            guard line.count + data.count < limit + Self.room else { throw TooLong() }
            line.append(byte)
        }
    }

    private mutating func endLine(_ take: (Item) -> Void) throws(TooLong) {
        defer {
            line.removeAll(keepingCapacity: true)
            isComment = false
        }
        if isComment { return take(.comment) }
        if line.isEmpty { return dispatch(take) }
        let end = line.firstIndex(of: Self.colon)
        var value = end.map { line[($0 + 1)...] } ?? []
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<(end ?? line.endIndex)], as: UTF8.self) {
        case "data":
            if hasData { data.append(Self.lineFeed) }
            data += value
            hasData = true
            guard data.count <= limit else { throw TooLong() }
        case "event": name = String(decoding: value, as: UTF8.self)
        case "id": if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        case "retry":
            if let milliseconds = Self.number(value) { take(.retry(milliseconds)) }
        default: break
        }
    }

    /// Ends an event. One without data is none, and only its id counts.
    private mutating func dispatch(_ take: (Item) -> Void) {
        if id != lastID {
            lastID = id
            take(.id(id))
        }
        if hasData { take(.event(Self.text(data), name: name.isEmpty ? "message" : name)) }
        data.removeAll(keepingCapacity: true)
        hasData = false
        name = ""
    }

    /// The bytes as well-formed UTF-8: U+FFFD stands for what is not.
    private static func text(_ bytes: [UInt8]) -> [UInt8] {
        Array(String(decoding: bytes, as: UTF8.self).utf8)
    }

    /// ASCII digits alone; a number too large to wait for is the largest.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard !bytes.isEmpty, bytes.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return Int64(String(decoding: bytes, as: UTF8.self)) ?? .max
    }
}
