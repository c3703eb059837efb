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
