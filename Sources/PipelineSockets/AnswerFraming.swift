package import NIOCore
import NIOHTTP1

/// Rewrites the bytes of an answer in HTTP/1 as the decoder takes them, which is stricter than a client has to be. Pure.
///
/// Blanks around the value of a field are no part of it, and a folded value is one line (RFC 9112, sections 5.1 and 5.2). Lengths that are equal
/// are one, and an answer that has no body has none, whatever its fields say (section 6.3). Blanks may stand behind the size of a chunk, and
/// extensions and trailers, which nobody reads, are left out (section 7.1). What is malformed is left to the decoder, whose errors have words.
package struct AnswerFraming {
    /// A body in a transfer coding that no client of ours asks for (RFC 9112, sections 6.1 and 7).
    package struct UnknownCoding: Error, Equatable {
        /// The codings, in lower case.
        package let names: String
    }

    private enum Part {
        case head
        case chunkSize
        /// The number of bytes of it that are to come.
        case chunk(Int)
        case chunkEnd
        case trailers
        /// The rest, which stays as it is.
        case rest
    }

    /// Indicates whether the answer is to `HEAD`, and so has no body.
    private let isToHead: Bool
    private var part = Part.head
    /// The bytes that have come of a line without its end.
    private var line: [UInt8] = []
    /// The status of the answer; nil before the end of its first line.
    private var status: Int?
    /// The field that the next line may continue.
    private var field: [UInt8] = []
    private var lengths: [[UInt8]] = []
    private var codings: [[UInt8]] = []
    /// The bytes of fields that are kept back, or of trailers.
    private var heldBytes = 0
    /// The bytes of the heads of the answer: its own, and those before it.
    private var headBytes = 0

    /// The most bytes that are held, as many as the decoder takes of one field.
    private static let mostHeld = 80 << 10
    /// The most of all heads of an answer.
    private static let mostOfHeads = 256 << 10

    /// - Parameter isToHead: whether the answer is to a request with the method `HEAD`.
    package init(toHead isToHead: Bool = false) { self.isToHead = isToHead }

    /// The bytes that the decoder is to read for the next bytes of the connection.
    package mutating func read(_ input: ByteBuffer) throws -> ByteBuffer {
        if case .rest = part { return input }
        var (input, output) = (input, ByteBuffer())
        output.reserveCapacity(input.readableBytes)
        while input.readableBytes > 0 {
            switch part {
            case .rest: output.writeBuffer(&input)
            case .chunk(let count):
                guard var bytes = input.readSlice(length: min(count, input.readableBytes)) else { break }
                let left = count - bytes.readableBytes
                part = left > 0 ? .chunk(left) : .chunkEnd
                output.writeBuffer(&bytes)
            case .head, .chunkSize, .chunkEnd, .trailers: try readLine(from: &input, into: &output)
            }
        }
        return output
    }

    private mutating func readLine(from input: inout ByteBuffer, into output: inout ByteBuffer) throws {
        let bytes = input.readableBytesView
        let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        let piece = bytes[..<(end.map { $0 + 1 } ?? bytes.endIndex)]
        input.moveReaderIndex(forwardBy: piece.count)
        line += piece
        if case .head = part {
            headBytes += piece.count
            guard headBytes <= Self.mostOfHeads else { throw HTTPParserError.headerOverflow }
        }
        // The first line stays as it is, and what is wrong with it is told at once.
        let isFirst = if case .head = part { status == nil } else { false }
        if isFirst { output.writeBytes(piece) }
        guard end != nil else {
            guard !isFirst, field.count + line.count > Self.mostHeld else { return }
            // Of a head nothing may get lost: what is kept back says where the body ends.
            if case .head = part { throw HTTPParserError.headerOverflow }
            return giveUp(&output)
        }
        switch part {
        // Empty lines may come before it (RFC 9112, section 2.2).
        case .head where isFirst && line.content.isEmpty: break
        case .head where isFirst:
            status = Self.status(in: line)
            if status == nil { part = .rest }
        case .head: try readHeadLine(into: &output)
        case .chunkSize: readChunkSize(into: &output)
        case .trailers: try readTrailer(into: &output)
        case .chunkEnd:
            output.writeBytes(line)
            part = .chunkSize
        case .chunk, .rest: break
        }
        line = []
    }

    /// Leaves what was kept back to the decoder, and whatever comes.
    private mutating func giveUp(_ output: inout ByteBuffer) {
        output.writeBytes(field + line)
        (field, line) = ([], [])
        part = .rest
    }

    private mutating func readHeadLine(into output: inout ByteBuffer) throws {
        if let first = line.first, first.isBlank, !field.isEmpty {
            let more = line.content.trimmed
            field.removeLast(field.ending.count)
            while let last = field.last, last.isBlank { field.removeLast() }
            if !more.isEmpty { field += [0x20] + more }
            field += line.ending
            guard field.count <= Self.mostHeld else { throw HTTPParserError.headerOverflow }
            return
        }
        try endField(into: &output)
        if line.content.isEmpty { try endHead(into: &output) } else { field = line }
    }

    private mutating func endField(into output: inout ByteBuffer) throws {
        defer { field = [] }
        guard let colon = field.firstIndex(of: UInt8(ascii: ":")) else {
            output.writeBytes(field)
            return
        }
        var value = field[(colon + 1)...].content.trimmed
        switch String(decoding: field[..<colon], as: UTF8.self).lowercased() {
        case "content-length": lengths.append(Array(value))
        case "transfer-encoding": codings.append(Array(value))
        case let name:
            // A place in Latin-1 would not be text any more (RFC 9110, section 5.5).
            if name == "location" { value = value.escaped[...] }
            output.writeBytes(field[...colon])
            output.writeBytes([0x20] + value + field.ending)
            return
        }
        heldBytes += field.count
        guard heldBytes <= Self.mostHeld else { throw HTTPParserError.headerOverflow }
    }

    private mutating func endHead(into output: inout ByteBuffer) throws {
        let isInformational = status.map { 100...199 ~= $0 && $0 != 101 } ?? false
        part = .rest
        if isInformational || status == 204 || status == 304 || isToHead {
            if isInformational { (part, status) = (.head, nil) }
        } else {
            let names = codings.flatMap { $0.members }.map { String(decoding: $0, as: UTF8.self).lowercased() }.filter { $0 != "identity" }
            guard names.isEmpty || names == ["chunked"] else { throw UnknownCoding(names: names.joined(separator: ", ")) }
            if !names.isEmpty {
                output.writeString("Transfer-Encoding: chunked\r\n")
                part = .chunkSize
            }
            // Different ones are for the decoder to refuse.
            let values = lengths.flatMap { $0.members.isEmpty ? [[]] : $0.members }
            for value in values.allSatisfy({ $0 == values.first }) ? Array(values.prefix(1)) : values {
                output.writeString("Content-Length: ")
                output.writeBytes(value + Array("\r\n".utf8))
            }
        }
        output.writeBytes(line)
        (lengths, codings, heldBytes) = ([], [], 0)
    }

    private mutating func readChunkSize(into output: inout ByteBuffer) {
        let content = line.content
        let digits = content.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 | 0x20 }
        let behind = content[digits.endIndex...].trimmed
        guard behind.isEmpty || behind.first == UInt8(ascii: ";"), let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else {
            return giveUp(&output)
        }
        output.writeBytes(digits + line.ending)
        part = size == 0 ? .trailers : .chunk(size)
    }

    private mutating func readTrailer(into output: inout ByteBuffer) throws {
        heldBytes += line.count
        guard heldBytes <= Self.mostHeld else { throw HTTPParserError.headerOverflow }
        guard line.content.isEmpty else { return }
        output.writeBytes(line)
        part = .rest
    }

    /// The status in `HTTP/1.1 200 OK`.
    private static func status(in line: [UInt8]) -> Int? {
        let words = line.content.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        return words.count > 1 && words[1].count == 3 ? Int(String(decoding: words[1], as: UTF8.self)) : nil
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
}

extension Array<UInt8> {
    /// The line without its end.
    fileprivate var content: ArraySlice<UInt8> { self[...].content }

    /// The end of the line: LF, or CR and LF.
    fileprivate var ending: ArraySlice<UInt8> { self[content.endIndex...] }

    /// The members of a list, without blanks around them.
    fileprivate var members: [[UInt8]] { split(separator: UInt8(ascii: ",")).map { Array($0.trimmed) }.filter { !$0.isEmpty } }
}

extension ArraySlice<UInt8> {
    /// The text with `%E9` for a byte that is not ASCII.
    fileprivate var escaped: [UInt8] {
        flatMap { $0 < 0x80 ? [$0] : Array("%\(String($0, radix: 16, uppercase: true))".utf8) }
    }

    /// The line without its end.
    fileprivate var content: ArraySlice<UInt8> {
        guard last == 0x0A else { return self }
        let content = dropLast()
        return content.last == 0x0D ? content.dropLast() : content
    }

    /// The bytes without spaces and tabs at both ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let start = drop(while: \.isBlank)
        return start.lastIndex { !$0.isBlank }.map { start[...$0] } ?? []
    }
}

/// Stands before the decoder of a client's connection, and hands it the bytes of each answer as ``AnswerFraming`` writes them.
package final class AnswerReader: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer

    private var framing = AnswerFraming()
    private var isBroken = false

    package init() {}

    /// The bytes that come from now on are the answer to another request, which may have the method `HEAD`. The first one needs no call where it
    /// has another method.
    package func requestBegan(isHead: Bool) { framing = AnswerFraming(toHead: isHead) }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isBroken else { return }
        do {
            let bytes = try framing.read(unwrapInboundIn(data))
            if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
        } catch {
            isBroken = true
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
    }
}
