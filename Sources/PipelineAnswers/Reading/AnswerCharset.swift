internal import Pipeline

/// The charsets in which a body can be text.
enum AnswerCharset {
    case utf8
    case utf16(isBigEndian: Bool)
    case latin1
    case windows1252

    private typealias Problem = AnswerFormat.Problem

    /// The text of `body` in UTF-8: by its byte order mark, else by the charset of `contentType`, else by its XML declaration, else UTF-8 as it
    /// is (RFC 7303, section 3). What came as UTF-8 is not checked: readers meet each of its bytes.
    static func text(of body: [UInt8], contentType: String?, isXML: Bool) throws(AnswerFormat.Problem) -> [UInt8] {
        for (mark, charset) in marks where body.starts(with: mark) { return try charset.text(of: body[mark.count...]) }
        if let name = contentType.flatMap(name(in:)) { return try charset(named: name, body).text(of: body[...]) }
        if isXML, let isBigEndian = isBigEndian(body) { return try AnswerCharset.utf16(isBigEndian: isBigEndian).text(of: body[...]) }
        guard isXML, let name = name(inDeclaration: body.prefix(512)) else { return try AnswerCharset.utf8.text(of: body[...]) }
        let charset = try charset(named: name, body)
        // What is read byte by byte is not UTF-16, whatever it says of itself.
        if case .utf16 = charset { return try AnswerCharset.utf8.text(of: body[...]) }
        return try charset.text(of: body[...])
    }

    private static let marks: [([UInt8], AnswerCharset)] = [
        ([0xEF, 0xBB, 0xBF], .utf8), ([0xFE, 0xFF], .utf16(isBigEndian: true)), ([0xFF, 0xFE], .utf16(isBigEndian: false)),
    ]

    private static func charset(named name: String, _ body: [UInt8]) throws(Problem) -> AnswerCharset {
        switch name.lowercased() {
        case "utf-8", "utf8", "us-ascii", "ascii": return .utf8
        // RFC 2781, section 4.3: big-endian, unless it shows.
        case "utf-16": return .utf16(isBigEndian: isBigEndian(body) ?? true)
        case "utf-16be": return .utf16(isBigEndian: true)
        case "utf-16le": return .utf16(isBigEndian: false)
        case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "l1": return .latin1
        case "windows-1252", "cp1252", "x-cp1252": return .windows1252
        default:
            throw Problem("the charset `\(name.shortened)` is not read: expected UTF-8, UTF-16, ISO-8859-1 or windows-1252")
        }
    }

    /// The byte order of a text in UTF-16 that begins with an ASCII character; nil if it does not.
    private static func isBigEndian(_ body: [UInt8]) -> Bool? {
        guard body.count > 1, (body[0] == 0) != (body[1] == 0) else { return nil }
        return body[0] == 0
    }
}

extension AnswerCharset {
    /// The value of the parameter `charset` of a media type (RFC 9110, section 8.3); nil if it has none, or an empty one.
    private static func name(in contentType: String) -> String? {
        var rest = contentType.utf8.drop { $0 != UInt8(ascii: ";") }
        let name = FieldParameters(&rest)["charset"]
        return name?.isEmpty == true ? nil : name
    }

    /// The encoding that an XML declaration names; nil if there is no declaration, or it names none.
    private static func name(inDeclaration beginning: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: beginning, as: UTF8.self)
        guard text.hasPrefix("<?xml"), let declaration = text.firstRange(of: "?>").map({ text[..<$0.lowerBound] }),
            let label = declaration.firstRange(of: "encoding")
        else { return nil }
        let value = declaration[label.upperBound...].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        return String(value.dropFirst().prefix { $0 != quote })
    }
}

extension AnswerCharset {
    private func text(of bytes: ArraySlice<UInt8>) throws(Problem) -> [UInt8] {
        switch self {
        case .utf8: return Array(bytes)
        case .utf16(let isBigEndian): return try Self.text(ofUTF16: bytes, isBigEndian: isBigEndian)
        case .latin1: return Self.text(ofEach: bytes) { Unicode.Scalar($0) }
        case .windows1252: return Self.text(ofEach: bytes) { 0x80..<0xA0 ~= $0 ? Self.windowsSigns[Int($0) - 0x80] : Unicode.Scalar($0) }
        }
    }

    private static func text(ofEach bytes: ArraySlice<UInt8>, _ scalar: (UInt8) -> Unicode.Scalar) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + bytes.count / 4)
        for byte in bytes { text += scalar(byte).utf8 }
        return text
    }

    private static func text(ofUTF16 bytes: ArraySlice<UInt8>, isBigEndian: Bool) throws(Problem) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / 2)
        var index = bytes.startIndex
        func unit(at index: Int) -> UInt32? {
            guard index + 1 < bytes.endIndex else { return nil }
            let (first, second) = (UInt32(bytes[index]), UInt32(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        while let first = unit(at: index) {
            index += 2
            var value = first
            if first & 0xFC00 == 0xD800, let second = unit(at: index), second & 0xFC00 == 0xDC00 {
                index += 2
                value = 0x10000 + (first & 0x3FF) << 10 + second & 0x3FF
            }
            guard let scalar = Unicode.Scalar(value) else {
                throw Problem("half a surrogate pair is not text", line: AnswerFormat.line(after: text))
            }
            text += scalar.utf8
        }
        if index < bytes.endIndex { throw Problem("half a character at the end", line: AnswerFormat.line(after: text)) }
        return text
    }

    /// The characters of 0x80 to 0x9F in windows-1252. What has none stays a control character, as in the Encoding Standard of the WHATWG.
    private static let windowsSigns = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
        0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ].compactMap { Unicode.Scalar(UInt16($0)) }
}
