internal import NIOHTTP1
internal import Pipeline

/// An answer on its way to a client, made into bytes piece by piece: however large the value is and however many read it, each of them
/// holds one piece.
struct Reply: Sendable {
    /// The way in which the client learns where the body ends.
    private enum Framing {
        case none
        case length(Int)
        case chunks
        /// A stream of events that ends by chunks, or by the end of the connection.
        case events(inChunks: Bool)
    }

    /// The request that is answered; nil for what could not be read as one.
    let request: ClientRequest?
    private(set) var answer: ServedAnswer
    /// The moment when the request had come.
    let since: Timestamp
    /// The moment when the answer was made; nil before.
    private(set) var made: Timestamp?
    /// The number of bytes that the client's system took.
    var sent = 0
    /// Indicates whether its request was counted.
    private(set) var isCounted = false
    private var head: [UInt8] = []
    private var framing = Framing.none
    private var offset = 0
    private var gzip: GzipStream?
    private var isAtEnd = false
    /// The events to write.
    private var events: [StreamEvent] = []

    /// Indicates whether the stream is to end behind the events that there are.
    private var isEnding = false

    /// Indicates whether more may come when there is no next piece.
    var isOpen: Bool {
        if case .events = framing { !isEnding } else { false }
    }

    /// The reply once every piece was made, and nil from then on: its request is counted with the last piece.
    mutating func counting() -> Reply? {
        guard isAllMade, !isCounted else { return nil }
        isCounted = true
        return self
    }

    private var isAllMade: Bool {
        guard head.isEmpty else { return false }
        return switch framing {
        case .none: true
        case .length(let count): offset == count
        case .chunks, .events: isAtEnd
        }
    }

    /// The most bytes of the body in one piece. A client that takes less than this within the idle timeout is sent away.
    private static let pieceSize = 32 * 1024

    init(_ answer: ServedAnswer, to request: ClientRequest?, since: Timestamp) {
        self.answer = answer
        self.request = request
        self.since = since
    }

    /// The next bytes; nil at the end.
    mutating func nextPiece() -> [UInt8]? {
        var piece = head
        head = []
        switch framing {
        case .none: break
        case .length:
            let end = min(offset + Self.pieceSize, answer.body.count)
            piece += answer.body[offset..<end]
            offset = end
        case .chunks:
            while piece.count < Self.pieceSize / 2, !isAtEnd { piece += nextChunk() }
        case .events(let inChunks):
            let part = nextPart()
            piece += inChunks ? Self.chunk(part) : part
            if part.isEmpty, isEnding, inChunks, !isAtEnd { piece += Self.lastChunk }
            isAtEnd = part.isEmpty && isEnding
        }
        return piece.isEmpty ? nil : piece
    }

    /// The next bytes of the events.
    private mutating func nextPart() -> [UInt8] {
        while !events.isEmpty {
            if let part = events[0].nextPiece(limit: Self.pieceSize) { return part }
            events.removeFirst()
        }
        return []
    }

    /// Writes `event` behind those that are being written.
    mutating func add(_ event: StreamEvent) {
        events.append(event)
    }

    /// Ends the stream behind what is being written.
    mutating func endStream() {
        isEnding = true
    }

    private static let lastChunk = Array("0\r\n\r\n".utf8)

    private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
        bytes.isEmpty ? [] : Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
    }

    private mutating func nextChunk() -> [UInt8] {
        let end = min(offset + Self.pieceSize, answer.body.count)
        isAtEnd = end == answer.body.count
        let part = answer.body[offset..<end]
        offset = end
        let chunk = Self.chunk(gzip?.compress(part, isLast: isAtEnd) ?? [])
        return isAtEnd ? chunk + Self.lastChunk : chunk
    }
}

extension Reply {
    /// Makes the head.
    ///
    /// - Parameters:
    ///   - isLast: whether the connection ends with this answer.
    ///   - now: what the clock on the wall shows.
    mutating func begin(closing isLast: Bool, at now: Timestamp, made: Timestamp) {
        self.made = made
        frame()
        var headers = answer.headers
        headers.add(name: "X-Content-Type-Options", value: "nosniff")
        headers.add(name: "Date", value: CivilTime(now - (answer.age ?? .zero)).inHTTP)
        headers.add(name: "Server", value: "pipe-run")
        switch framing {
        case .length(let count): headers.add(name: "Content-Length", value: "\(count)")
        case .chunks, .events(inChunks: true): headers.add(name: "Transfer-Encoding", value: "chunked")
        case .none, .events(inChunks: false): break
        }
        if isLast { headers.add(name: "Connection", value: "close") }
        if !isLast, request?.namesKeepAlive ?? false { headers.add(name: "Connection", value: "keep-alive") }
        head = Self.bytes(of: answer.status, headers)
        if request?.method == .HEAD { (framing, answer.body) = (.none, []) }
    }

    /// Decides how the body goes.
    private mutating func frame() {
        guard answer.status.mayHaveResponseBody else { return framing = .none }
        if answer.stream != nil { return framing = .events(inChunks: request?.isChunkable ?? false) }
        guard answer.isCompressed, GzipStream.shrinks(answer.body), let gzip = GzipStream() else {
            answer.headers.remove(name: "Content-Encoding")
            return framing = .length(answer.body.count)
        }
        if answer.body.count <= Self.pieceSize {
            answer.body = gzip.compress(answer.body[...], isLast: true)
            framing = .length(answer.body.count)
        } else {
            self.gzip = gzip
            framing = .chunks
        }
    }

    /// The head as it is sent. A value with a line end in it would be a field of its own, or the end of the head: it is left out.
    private static func bytes(of status: HTTPResponseStatus, _ headers: HTTPHeaders) -> [UInt8] {
        var head = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n"
        for (name, value) in headers where value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) {
            head += "\(name): \(value)\r\n"
        }
        return Array((head + "\r\n").utf8)
    }
}
