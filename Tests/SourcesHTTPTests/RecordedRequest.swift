/// A request as its bytes came in.
struct RecordedRequest: Sendable {
    /// The request line and the header fields.
    let head: String
    let body: String
    /// Which request of its connection it is, counted from 1.
    let number: Int

    /// Takes the first whole request out of `bytes`.
    init?(takingFrom bytes: inout [UInt8], number: Int = 1) {
        self.number = number
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: "\r\n\r\n".utf8) }) else { return nil }
        head = String(decoding: bytes[..<end], as: UTF8.self)
        let length = Self.header("content-length", in: head).flatMap { Int($0) } ?? 0
        guard bytes.count >= end + 4 + length else { return nil }
        body = String(decoding: bytes[(end + 4)..<(end + 4 + length)], as: UTF8.self)
        bytes.removeFirst(end + 4 + length)
    }

    /// `GET /friends HTTP/1.1`
    var line: String { lines.first ?? "" }

    /// The method.
    var method: String { line.split(separator: " ").first.map { String($0) } ?? "" }

    /// Path and query.
    var target: String { line.split(separator: " ").dropFirst().first.map { String($0) } ?? "" }

    /// The lines of the head.
    var lines: [String] { Self.lines(of: head) }

    subscript(name: String) -> String? { Self.header(name, in: head) }

    private static func lines(of head: String) -> [String] {
        head.split(separator: "\r\n", omittingEmptySubsequences: false).map { String($0) }
    }

    private static func header(_ name: String, in head: String) -> String? {
        for line in lines(of: head).dropFirst() where line.lowercased().hasPrefix(name.lowercased() + ":") {
            return String(line.dropFirst(name.count + 1).drop { $0 == " " })
        }
        return nil
    }
}
