public import Pipeline

/// Masks the secrets of a configuration in texts that people get to read.
///
/// Secrets are compared by their bytes, in the forms in which programs write them: line by line, percent-encoded or decoded, in lower case
/// as hosts are, with control characters made visible. What is left of a secret where a text was cut (`…`) is masked, too; mask a text
/// before you cut it all the same, since a short rest could be anything.
struct SecretMask: Sendable {
    private let patterns: SecretPatterns
    /// Names that stand in plain view anyway: a secret that is spelt like one hides it nowhere.
    private let names: Set<String>

    /// A mask over `secrets`.
    ///
    /// - Parameter names: words that stay readable where they stand alone, also when a secret is spelt like one.
    init(_ secrets: some Collection<String>, sparing names: Set<String>) {
        patterns = SecretPatterns(secrets)
        self.names = names
    }

    /// `text` with every secret replaced by `***`.
    func redacted(_ text: String) -> String {
        masked(text, sparesOwnWords: false)
    }

    /// `text` with every secret replaced by `***`, except in words of letters that stand outside of backticks: those are the writer's own.
    ///
    /// Only for messages that put all that they quote into backticks, and quote nothing with a backtick in it.
    func redactedInQuotes(_ text: String) -> String {
        masked(text, sparesOwnWords: true)
    }

    private func masked(_ text: String, sparesOwnWords: Bool) -> String {
        guard !patterns.isEmpty else { return text }
        let bytes = Array(text.utf8)
        var words = RedactedWords(bytes, names: names, sparesOwnWords: sparesOwnWords)
        var found: [Range<Int>] = []
        for start in bytes.indices {
            guard let length = patterns.lengths(in: bytes, at: start).first(where: { !words.areSpared(start..<(start + $0)) }) else {
                continue
            }
            found.append(start..<(start + length))
        }
        for rest in patterns.rests(in: bytes) where !words.areSpared(rest) { found.append(rest) }
        guard !found.isEmpty else { return text }
        return Self.replacing(found, in: bytes)
    }

    /// `bytes` with `***` for each of `ranges`; for those that overlap, one.
    private static func replacing(_ ranges: [Range<Int>], in bytes: [UInt8]) -> String {
        var merged: [Range<Int>] = []
        for range in ranges.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }) {
            if let last = merged.last, range.lowerBound < last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        var result: [UInt8] = []
        var start = 0
        for range in merged {
            result += bytes[start..<range.lowerBound] + "***".utf8
            start = range.upperBound
        }
        return String(decoding: result + bytes[start...], as: UTF8.self)
    }
}

extension Redactor {
    /// A redactor of `secrets`: `***` takes their place.
    ///
    /// - Parameter names: words that stay readable where they stand alone, also when a secret is spelt like one.
    public init(_ secrets: some Collection<String>, sparing names: Set<String> = []) {
        let mask = SecretMask(secrets, sparing: names)
        self.init(masking: mask.redacted)
    }
}

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
