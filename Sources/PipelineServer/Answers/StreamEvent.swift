/// An event of an event stream (WHATWG HTML, "Server-sent events"), made into bytes piece by piece: its data is the value itself, which all who
/// read it share.
struct StreamEvent: Sendable {
    private let data: [UInt8]
    private var head: [UInt8]
    private var offset = 0
    private var isAtEnd = false
    /// Whether the last byte that was looked at is a carriage return: a line feed behind it ends the same line.
    private var isAfterReturn = false

    /// - Parameter id: what the client is at when it has the event; nil keeps what it is at.
    init(_ name: String, data: [UInt8], id: String? = nil) {
        self.data = data
        head = Array("event: \(name)\n\(id.map { "id: \($0)\n" } ?? "")data: ".utf8)
    }

    /// A line that clients ignore.
    static let comment = StreamEvent(comment: ":\n\n")

    private init(comment: String) {
        data = []
        head = Array(comment.utf8)
        isAtEnd = true
    }

    /// The next bytes, made of at most `limit` bytes of the data; nil at the end.
    mutating func nextPiece(limit: Int) -> [UInt8]? {
        var piece = head
        head = []
        guard !isAtEnd else { return piece.isEmpty ? nil : piece }
        let end = min(offset + limit, data.count)
        for byte in data[offset..<end] {
            switch byte {
            case UInt8(ascii: "\n") where isAfterReturn: break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): piece += Self.lineEnd
            default: piece.append(byte)
            }
            isAfterReturn = byte == UInt8(ascii: "\r")
        }
        offset = end
        isAtEnd = end == data.count
        if isAtEnd { piece += Array("\n\n".utf8) }
        return piece
    }

    private static let lineEnd = Array("\ndata: ".utf8)
}
