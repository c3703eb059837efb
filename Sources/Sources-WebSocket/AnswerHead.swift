import NIOCore
import NIOHTTP1

/// Reads the head of the answer to a handshake, and those before it (RFC 9112). Pure.
struct AnswerHead {
    /// The reason why bytes are no head, as the end of a sentence.
    struct Problem: Error, Equatable {
        let words: String
    }

    /// The most bytes of a head.
    static let limit = 32 << 10
    /// The most bytes of all heads, those before the answer included.
    static let wholeLimit = 64 << 10

    /// The bytes of the heads that were taken.
    private var taken = 0
    /// The number of bytes in which the end of the next head was looked for, and the state there.
    private var seen = (count: 0, last: UInt8?.none, isEmpty: false)

    private static let start = Array("HTTP/1.".utf8)

    /// Takes a complete head from `buffer`; nil while its end has not come.
    mutating func take(from buffer: inout ByteBuffer) throws(Problem) -> HTTPResponseHead? {
        let bytes = buffer.readableBytesView
        guard bytes.prefix(Self.start.count).elementsEqual(Self.start.prefix(bytes.count)) else {
            throw Problem(words: "it is not HTTP/1.1")
        }
        let most = min(Self.limit, Self.wholeLimit - taken)
        guard let end = end(of: bytes.prefix(most)) else {
            guard bytes.count >= most else { return nil }
            let isLong = most == Self.limit
            throw Problem(
                words: isLong
                    ? "its head is longer than \(Self.limit >> 10) KiB" : "the heads before it are longer than \(Self.wholeLimit >> 10) KiB"
            )
        }
        taken += end - bytes.startIndex
        seen = (0, nil, false)
        var lines = bytes[..<end].split(separator: UInt8(ascii: "\n"))
            .map { String(decoding: $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0, as: UTF8.self)[...] }[...]
        buffer.moveReaderIndex(to: end)
        let status = try Self.status(in: lines.popFirst() ?? "")
        // A folded field is one line (RFC 9112, section 5.2).
        var unfolded: [Substring] = []
        for line in lines where !line.isEmpty {
            if line.first == " " || line.first == "\t", let field = unfolded.popLast() {
                unfolded.append(field + " " + line.trimmed)
            } else {
                unfolded.append(line)
            }
        }
        var headers = HTTPHeaders()
        for line in unfolded {
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex, !line[..<colon].contains(where: \.isWhitespace) else {
                throw Problem(words: "it has a header field without a name")
            }
            headers.add(name: String(line[..<colon]), value: String(line[line.index(after: colon)...].trimmed))
        }
        return HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: headers)
    }

    /// The index behind the empty line.
    private mutating func end(of bytes: ByteBufferView) -> Int? {
        for index in bytes.indices.dropFirst(seen.count) {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\n") {
                if seen.isEmpty { return index + 1 }
                seen.isEmpty = true
            } else if byte != UInt8(ascii: "\r") || seen.last == UInt8(ascii: "\r") {
                seen.isEmpty = false
            }
            seen.last = byte
        }
        seen.count = bytes.count
        return nil
    }

    /// The status in `HTTP/1.1 101 Switching Protocols`.
    private static func status(in line: Substring) throws(Problem) -> Int {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0", parts[1].utf8.count == 3,
            parts[1].utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let status = Int(parts[1]), status >= 100
        else { throw Problem(words: "its status line is malformed") }
        return status
    }
}

extension Substring {
    /// The text without spaces and tabs at both ends.
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}
