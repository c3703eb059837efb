/// The words of a text, of which some stay readable although a secret is spelt like them. Asked for places from the front to the back.
struct RedactedWords {
    private let bytes: [UInt8]
    private let names: Set<String>
    private let sparesOwnWords: Bool
    /// The word that was last asked for: it may be long, and have very many secrets in it.
    private var word = 0..<0
    private var isName = false
    /// The backticks before ``counted``.
    private var backticks = 0
    private var counted = 0

    init(_ bytes: [UInt8], names: Set<String>, sparesOwnWords: Bool) {
        self.bytes = bytes
        self.names = names
        self.sparesOwnWords = sparesOwnWords
    }

    /// Whether what stands at `range` is the writer's own word, a name, or the variable in `${NAME}`.
    mutating func areSpared(_ range: Range<Int>) -> Bool {
        if sparesOwnWords, bytes[range].allSatisfy(\.isLetter), isOutsideOfQuotes(range.lowerBound) { return true }
        enterWord(around: range)
        return isName || isVariable(range)
    }

    private mutating func isOutsideOfQuotes(_ index: Int) -> Bool {
        if index < counted { (backticks, counted) = (0, 0) }
        backticks += bytes[counted..<index].count { $0 == UInt8(ascii: "`") }
        counted = index
        return backticks % 2 == 0
    }

    private mutating func enterWord(around range: Range<Int>) {
        guard range.lowerBound < word.lowerBound || word.upperBound < range.upperBound || word.isEmpty else { return }
        var (start, end) = (range.lowerBound, range.upperBound)
        while start > 0, !Self.isBoundary(bytes[start - 1]) { start -= 1 }
        while end < bytes.count, !Self.isBoundary(bytes[end]) { end += 1 }
        word = start..<end
        let colon = bytes[word].last == UInt8(ascii: ":") ? 1 : 0
        isName = names.contains(String(decoding: bytes[word].dropLast(colon), as: UTF8.self))
    }

    /// Whether `range` lies within `NAME` of `${NAME…`.
    private func isVariable(_ range: Range<Int>) -> Bool {
        guard word.lowerBound >= 2, bytes[word.lowerBound - 2] == UInt8(ascii: "$"), bytes[word.lowerBound - 1] == UInt8(ascii: "{") else {
            return false
        }
        return bytes[word.lowerBound..<range.upperBound].allSatisfy { Identifier.canContain(Unicode.Scalar($0)) }
    }

    private static func isBoundary(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09...0x0D, 0x20: true
        default: "`'\"()[]{},;".utf8.contains(byte)
        }
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self }
}
