/// The tokens of a GraphQL text (section 2.1): what is between them is passed over.
struct GraphQLScanner {
    typealias Problem = GraphQLDocument.Problem

    struct Token {
        enum Kind: Equatable {
            case name
            case number
            case string
            /// Three dots.
            case spread
            case sign(UInt8)
            case end
        }

        let kind: Kind
        let range: Range<Int>
    }

    private let text: [UInt8]
    private var index = 0

    init(_ text: [UInt8]) {
        self.text = text
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    /// The next token; after the last one its kind is `end`, each time.
    mutating func next() throws(Problem) -> Token {
        skipIgnored()
        let start = index
        let kind = try kind(at: start)
        return Token(kind: kind, range: start..<index)
    }

    func word(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }

    func problem(_ message: String, at offset: Int) -> Problem { Problem(message, at: min(offset, text.count), in: text) }

    private func byte(_ offset: Int = 0) -> UInt8? { index + offset < text.count ? text[index + offset] : nil }

    private func isHere(_ word: StaticString) -> Bool {
        text[index...].starts(with: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    private mutating func skipIgnored() {
        while let byte = byte() {
            switch byte {
            case 0x09, 0x0A, 0x0D, 0x20, UInt8(ascii: ","): index += 1
            case UInt8(ascii: "#"): while let byte = self.byte(), byte != 0x0A, byte != 0x0D { index += 1 }
            default: return
            }
        }
    }

    private mutating func kind(at start: Int) throws(Problem) -> Token.Kind {
        guard let first = byte() else { return .end }
        switch first {
        case _ where Self.beginsName(first):
            while let byte = byte(), Self.beginsName(byte) || Self.isDigit(byte) { index += 1 }
            return .name
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try skipNumber()
            return .number
        case UInt8(ascii: "\""):
            try isHere("\"\"\"") ? skipBlockString() : skipString()
            return .string
        case UInt8(ascii: "."):
            guard isHere("...") else { throw problem("expected `...`", at: start) }
            index += 3
            return .spread
        case _ where "!$&():=@[]{|}".utf8.contains(first):
            index += 1
            return .sign(first)
        default:
            let sign = String(decoding: text[start...].prefix(4), as: UTF8.self).unicodeScalars.first
            throw problem("unexpected character\(sign.map { $0.value > 0x20 ? " `\($0)`" : "" } ?? "")", at: start)
        }
    }

    private static func beginsName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private mutating func skipNumber() throws(Problem) {
        if byte() == UInt8(ascii: "-") { index += 1 }
        if byte() == UInt8(ascii: "0") { index += 1 } else { try skipDigits() }
        if byte() == UInt8(ascii: ".") {
            index += 1
            try skipDigits()
        }
        if let letter = byte(), letter | 0x20 == UInt8(ascii: "e") {
            index += 1
            if byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-") { index += 1 }
            try skipDigits()
        }
        if let next = byte(), Self.isDigit(next) || Self.beginsName(next) || next == UInt8(ascii: ".") {
            throw problem("unexpected `\(Character(Unicode.Scalar(next)))` after a number", at: index)
        }
    }

    private mutating func skipDigits() throws(Problem) {
        guard let first = byte(), Self.isDigit(first) else { throw problem("expected a digit", at: index) }
        while let byte = byte(), Self.isDigit(byte) { index += 1 }
    }

    private mutating func skipString() throws(Problem) {
        let start = index
        index += 1
        while let byte = byte() {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return
            case UInt8(ascii: "\\"): try skipEscape()
            case 0x0A, 0x0D: throw problem("a string that does not end on its line", at: start)
            default: index += 1
            }
        }
        throw problem("a string that does not end", at: start)
    }

    private mutating func skipEscape() throws(Problem) {
        let start = index
        guard let kind = byte(1) else { throw problem("a string that does not end", at: start) }
        index += 2
        if kind != UInt8(ascii: "u") {
            guard "\"\\/bfnrt".utf8.contains(kind) else { throw problem("an unknown escape in a string", at: start) }
            return
        }
        // Later editions have up to six digits in braces, too.
        let isBraced = byte() == UInt8(ascii: "{")
        if isBraced { index += 1 }
        let count = text[index...].prefix { Character(Unicode.Scalar($0)).isHexDigit }.count
        index += isBraced ? count + 1 : 4
        guard isBraced ? 1...6 ~= count && byte(-1) == UInt8(ascii: "}") : count >= 4 else {
            throw problem("expected four hexadecimal digits", at: start)
        }
    }

    private mutating func skipBlockString() throws(Problem) {
        let start = index
        index += 3
        while index < text.count {
            if isHere("\"\"\"") {
                index += 3
                return
            }
            index += isHere("\\\"\"\"") ? 4 : 1
        }
        throw problem("a block string that does not end", at: start)
    }
}
