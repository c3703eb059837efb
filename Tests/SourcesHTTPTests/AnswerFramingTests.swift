import NIOCore
import NIOHTTP1
import Testing

@testable import PipelineSockets

/// What the decoder of answers gets to read, for each field and coding that decides how an answer is read.
struct AnswerFramingTests {
    /// What becomes of `text`, in pieces of `size` bytes.
    private func read(_ text: String, inPiecesOf size: Int = .max, toHead: Bool = false) throws -> String {
        var framing = AnswerFraming(toHead: toHead)
        var rest = Array(text.utf8)[...]
        var output = ""
        while !rest.isEmpty {
            output += String(buffer: try framing.read(ByteBuffer(bytes: rest.prefix(size))))
            rest = rest.dropFirst(size)
        }
        return output
    }

    /// A field as it comes and as it is read; nil for one that is left out.
    static let fields: [(String, String?)] = [
        ("A: b", "A: b"), ("A:b", "A: b"), ("A: b ", "A: b"), ("A:\t b \t", "A: b"), ("A:", "A: "), ("A: \t ", "A: "), ("A: b c", "A: b c"),
        ("A: \"b\tc\"\t", "A: \"b\tc\""), ("A: b:c", "A: b:c"), ("Location: /y\t", "Location: /y"), ("ETag: \"a\" ", "ETag: \"a\""),
        ("Location: /caf\u{E9}", "Location: /caf%C3%A9"), ("LOCATION:\r\n /\u{E9} ", "LOCATION: /%C3%A9"), ("A: \u{E9}", "A: \u{E9}"),
        // Folded.
        ("A: b\r\n c", "A: b c"), ("A: b\r\n\tc", "A: b c"), ("A: b \t\r\n \t c \t", "A: b c"), ("A:\r\n b", "A: b"), ("A: b\r\n ", "A: b"),
        ("A: b\r\n\t\r\n c\r\n d", "A: b c d"), ("A: b\n c", "A: b c"),
        // Lengths.
        ("Content-Length: 3 ", "Content-Length: 3"), ("Content-Length: 3\t", "Content-Length: 3"),
        ("content-length:\r\n 3", "Content-Length: 3"),
        ("Content-Length: 3, 3", "Content-Length: 3"), ("Content-Length: 3\r\nContent-Length: 3", "Content-Length: 3"),
        ("Content-Length: 3, 4", "Content-Length: 3\r\nContent-Length: 4"), ("Content-Length: x", "Content-Length: x"),
        // Codings.
        ("Transfer-Encoding: identity", nil), ("Transfer-Encoding:", nil),
        // Left to the decoder.
        ("A : b ", "A : b"), ("A", "A"), (": b", ": b"), ("A\u{0}: b", "A\u{0}: b"),
    ]

    @Test(arguments: ["HTTP/1.1 103 X\r\nA: b\r\n\r\n", "A: b\r\n", "x"], [Int.max, 7])
    func `heads without end are refused`(part: String, size: Int) {
        let begin = part == "x" ? "HTTP/1.1 200 " : part == "A: b\r\n" ? "HTTP/1.1 200 X\r\n" : ""
        let text = begin + String(repeating: part, count: 300_000 / part.utf8.count)
        #expect(throws: HTTPParserError.headerOverflow) { try read(text, inPiecesOf: size) }
    }

    @Test(arguments: fields)
    func `a field is read as one line without blanks around its value`(field: String, read: String?) throws {
        let (before, after) = ("HTTP/1.1 200 OK \r\nB: c\r\n", "\r\nD: e\r\n\r\nbody \r\n \r\n")
        // Lengths are written at the end of the head.
        let (here, end) = read.map { $0.hasPrefix("Content-") ? ("", "\r\n\($0)") : ("\($0)\r\n", "") } ?? ("", "")
        let expected = before + here + "D: e" + end + "\r\n\r\nbody \r\n \r\n"
        for size in 1...(before + field + after).utf8.count {
            #expect(try self.read(before + field + after, inPiecesOf: size) == expected)
        }
    }

    @Test func `a place that is not UTF-8 keeps its bytes`() throws {
        var framing = AnswerFraming()
        let head = Array("HTTP/1.1 302 Found\r\nLocation: /caf".utf8) + [0xE9] + Array("\r\n\r\n".utf8)

        #expect(String(buffer: try framing.read(ByteBuffer(bytes: head))).contains("Location: /caf%E9\r\n"))
    }

    @Test(arguments: [
        "chunked", "Chunked", "CHUNKED ", "chunked\t", "\t chunked", ", chunked", "chunked,", "identity, chunked", "chunked, identity",
        "\r\n chunked",
        "identity\r\nTransfer-Encoding: chunked",
    ])
    func `a body in chunks is read as one, however its coding is written`(coding: String) throws {
        let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        for size in 1...text.utf8.count {
            #expect(try read(text, inPiecesOf: size) == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
        }
    }

    @Test(arguments: [
        ("gzip", "gzip"), ("gzip, chunked", "gzip, chunked"), ("GZIP , Chunked", "gzip, chunked"), ("x-gzip, chunked", "x-gzip, chunked"),
        ("deflate, chunked", "deflate, chunked"), ("br, chunked", "br, chunked"), ("chunked, gzip", "chunked, gzip"),
        ("chunked, chunked", "chunked, chunked"),
        ("chunked\r\nTransfer-Encoding: chunked", "chunked, chunked"), ("gzip\r\nTransfer-Encoding: chunked", "gzip, chunked"),
        ("chunked;a=b", "chunked;a=b"),
        ("gzip;q=1, chunked", "gzip;q=1, chunked"), ("identity, gzip", "gzip"), ("\"chunked\"", "\"chunked\""),
        ("chunked chunked", "chunked chunked"), ("xchunked", "xchunked"),
    ])
    func `any other transfer coding is an error`(coding: String, names: String) {
        #expect(throws: AnswerFraming.UnknownCoding(names: names)) {
            try read("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\nbody")
        }
    }

    @Test(arguments: ["204 No Content", "304 Not Modified"])
    func `an answer without a body has no length and no coding`(status: String) throws {
        let text = "HTTP/1.1 \(status)\r\nContent-Length: 7\r\nA: b\r\nTransfer-Encoding: gzip, chunked\r\nContent-Length: 8\r\n\r\nrest"

        #expect(try read(text) == "HTTP/1.1 \(status)\r\nA: b\r\n\r\nrest")
    }

    @Test(arguments: ["chunked", "gzip, chunked", "br"])
    func `an answer to HEAD has no body, whatever its fields say`(coding: String) throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 7, 8\r\nA: b \r\nTransfer-Encoding: \(coding)\r\n\r\nrest"

        #expect(try read(text, toHead: true) == "HTTP/1.1 200 OK\r\nA: b\r\n\r\nrest")
    }

    @Test func `a head may come behind others that announce it`() throws {
        let before = "HTTP/1.1 103 Early Hints\r\nLink: <a>\t\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
        let text = before + "HTTP/1.1 200 OK\r\nTransfer-Encoding:\tchunked\t\r\n\r\n1 \r\na\r\n0\r\n\r\n"

        for size in 1...text.utf8.count {
            #expect(
                try read(text, inPiecesOf: size)
                    == text.replacing("\tchunked\t", with: " chunked").replacing(">\t", with: ">").replacing("1 \r\n", with: "1\r\n"))
        }
    }

    @Test(arguments: [
        ("3", "3"), ("3 ", "3"), ("3\t", "3"), ("3 \t ", "3"), ("003", "003"), ("3;a=b", "3"), ("3 ; a = \"b c\"", "3"), ("3\t;a", "3"),
    ])
    func `the size of a chunk may have blanks and extensions behind it`(size: String, read: String) throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let text = head + "\(size)\r\na\r\n\r\nA \r\n0123456789\r\n0 ;x\r\nTrailer: a\r\n b\r\n\r\n"
        for pieces in 1...text.utf8.count {
            #expect(try self.read(text, inPiecesOf: pieces) == head + "\(read)\r\na\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n")
        }
    }

    @Test(arguments: ["", " 3", "x", "-3", "+3", "3 3", "3,", "0x3", "ffffffffffffffffff"])
    func `a malformed size is left to the decoder, with all that follows`(size: String) throws {
        let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nabc \r\n0 \r\n\r\n"

        #expect(try read(text) == text)
    }

    @Test(arguments: [
        "", "\r\n\r\n", "nonsense \r\nA: b \r\n", "HTTP/1.1\r\nA: b \r\n\r\n", "HTTP/1.1 20 X\r\nA: b \r\n\r\n",
        "HTTP/1.1 200 OK\r\n A: b\r\n\r\n",
    ])
    func `what does not begin as an answer is left as it is`(text: String) throws {
        #expect(try read(text) == text)
    }

    @Test func `empty lines may come before the first one`() throws {
        let answer = "\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked \r\n\r\n1 \r\nx\r\n0\r\n\r\n"

        #expect(try read(answer).hasSuffix("Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"))
    }

    @Test func `what is kept back is bounded`() throws {
        let head = "HTTP/1.1 200 OK\r\n"
        let long = head + "A: " + String(repeating: "x", count: 100_000)
        #expect(throws: HTTPParserError.headerOverflow) { try read(long, inPiecesOf: 1000) }
        let folded = head + "A: b\r\n" + String(repeating: " \(String(repeating: "x", count: 999))\r\n", count: 100)
        #expect(throws: HTTPParserError.headerOverflow) { try read(folded, inPiecesOf: 1000) }
        // Where the length of the body is known already, it would get lost with the rest of the head.
        let late = head + "Transfer-Encoding: chunked\r\nA:" + String(repeating: " ", count: 90_000) + "b\r\n\r\n0\r\n\r\n"
        #expect(throws: HTTPParserError.headerOverflow) { try read(late, inPiecesOf: 1000) }
        for field in ["Content-Length: 1\r\n", "Transfer-Encoding: identity\r\n"] {
            #expect(throws: (any Error).self) { try read(head + String(repeating: field, count: 10_000)) }
        }
        let trailers = head + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: "A: b\r\n", count: 20_000)
        #expect(throws: (any Error).self) { try read(trailers) }
    }
}
