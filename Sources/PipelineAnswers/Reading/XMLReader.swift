private import CExpat

/// XML read as JSON in one pass, without a tree. The only code that touches expat.
///
/// No entity brings in anything from elsewhere: a DOCTYPE, which alone declares entities, ends the reading.
struct XMLReader {
    typealias Problem = AnswerFormat.Problem

    /// The bytes that expat gets at once, or more of them to end a long tag.
    private static let pieceSize = 64 << 10
    /// The longest tag or comment: expat keeps all of it, and several times as much for what a tag has.
    private static let longestTag = 8 << 20

    private let parser: OpaquePointer
    private var writer: XMLWriter
    private var problem: Problem?

    /// The value of the root element of `text`, which is UTF-8 whatever its declaration says.
    static func json(of text: [UInt8], limit: Int) throws(AnswerFormat.Problem) -> [UInt8] {
        guard let parser = XML_ParserCreate("UTF-8") else { throw Problem("not enough memory") }
        defer { XML_ParserFree(parser) }
        var reader = XMLReader(parser: parser, writer: XMLWriter(limit: limit, size: text.count))
        return try withUnsafeMutablePointer(to: &reader) { reader throws(Problem) in
            observe(parser, for: reader)
            try text.withUnsafeBufferPointer { text throws(Problem) in try read(UnsafeRawBufferPointer(text), with: reader) }
            return reader.pointee.writer.json
        }
    }

    private static func observe(_ parser: OpaquePointer, for reader: UnsafeMutablePointer<XMLReader>) {
        XML_SetUserData(parser, reader)
        XML_SetElementHandler(parser) { reader, name, attributes in
            guard let name, let attributes else { return }
            reader?.assumingMemoryBound(to: XMLReader.self).pointee.begin(name, attributes)
        } _: { reader, _ in
            reader?.assumingMemoryBound(to: XMLReader.self).pointee.report { writer throws(Problem) in try writer.end() }
        }
        XML_SetCharacterDataHandler(parser) { reader, text, count in
            let text = UnsafeRawBufferPointer(start: text, count: Int(count))
            reader?.assumingMemoryBound(to: XMLReader.self).pointee.report { writer throws(Problem) in writer.add(text) }
        }
        XML_SetStartDoctypeDeclHandler(parser) { reader, _, _, _, _ in
            reader?.assumingMemoryBound(to: XMLReader.self).pointee.report { _ throws(Problem) in throw Problem("a DOCTYPE is not read") }
        }
    }

    private static func read(_ text: UnsafeRawBufferPointer, with reader: UnsafeMutablePointer<XMLReader>) throws(Problem) {
        let parser = reader.pointee.parser
        var (start, size, tag) = (0, pieceSize, 0)
        repeat {
            let piece = UnsafeRawBufferPointer(rebasing: text[start..<min(start + size, text.count)])
            start += piece.count
            let bytes = piece.assumingMemoryBound(to: CChar.self).baseAddress
            let status = XML_Parse(parser, bytes, Int32(piece.count), start == text.count ? 1 : 0)
            if let problem = reader.pointee.problem { throw problem }
            if status != XML_STATUS_OK { throw Problem(words(for: parser), line: reader.pointee.line) }
            // expat begins a tag that has not ended anew with each piece: twice as much of it each time.
            let place = Int(XML_GetCurrentByteIndex(parser))
            if place >= 0 { tag = place }
            size = max(pieceSize, start - tag)
            if size > longestTag { throw Problem("a tag or comment of more than \(longestTag) bytes", line: reader.pointee.line) }
        } while start < text.count
    }

    private static func words(for parser: OpaquePointer) -> String {
        XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "no XML"
    }
}

extension XMLReader {
    private var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

    /// Hands on what expat reports, and ends the reading where that is a problem.
    @inline(__always)
    private mutating func report(_ body: (inout XMLWriter) throws(Problem) -> Void) {
        // expat may report the end of an empty element after it was stopped.
        guard problem == nil else { return }
        do throws(Problem) {
            try body(&writer)
        } catch {
            problem = Problem(error.message, line: line)
            XML_StopParser(parser, 0)
        }
    }

    private mutating func begin(_ name: UnsafePointer<CChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>) {
        report { writer throws(Problem) in
            try writer.begin(Self.bytes(of: name))
            var next = attributes
            while let name = next[0], let value = next[1] {
                try writer.add(Self.bytes(of: name), Self.bytes(of: value))
                next += 2
            }
        }
    }

    private static func bytes(of text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
        var count = 0
        while text[count] != 0 { count += 1 }
        return UnsafeRawBufferPointer(start: text, count: count).assumingMemoryBound(to: UInt8.self)
    }
}
