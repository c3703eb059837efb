/// Masks the secrets of a configuration in texts that people get to read.
public struct Redactor: Sendable {
    private let secrets: [String]
    /// Names that stand in plain view anyway: a secret that is spelt like one hides it nowhere.
    private let names: Set<String>

    /// A redactor of `secrets`; longer ones are masked first, so that a secret within another leaves nothing of it.
    ///
    /// - Parameter names: words that stay readable where they stand alone, also when a secret is spelt like one.
    public init(_ secrets: some Collection<String> = [], sparing names: Set<String> = []) {
        self.secrets = secrets.filter { !$0.isEmpty }.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
        self.names = names
    }

    /// `text` with every secret replaced by `***`.
    public func redacted(_ text: String) -> String {
        masked(text) { isName(at: $0, in: $1) }
    }

    /// `text` with every secret replaced by `***`, except in words of letters that stand outside of backticks: those are the writer's own.
    ///
    /// Only for messages that put all that they quote into backticks, and quote nothing with a backtick in it.
    func redactedInQuotes(_ text: String) -> String {
        masked(text) { range, text in
            let isOwn = text[range].utf8.allSatisfy(\.isLetter) && text[..<range.lowerBound].utf8.count { $0 == UInt8(ascii: "`") } % 2 == 0
            return isOwn || isName(at: range, in: text)
        }
    }

    private func masked(_ text: String, unless isSpared: (Range<String.Index>, String) -> Bool) -> String {
        secrets.reduce(text) { text, secret in
            var result = ""
            var start = text.startIndex
            var search = start
            while let range = text[search...].range(of: secret) {
                search = range.upperBound
                if isSpared(range, text) { continue }
                result += text[start..<range.lowerBound] + "***"
                start = range.upperBound
            }
            return start == text.startIndex ? text : result + text[start...]
        }
    }

    /// Whether the word around `range` is one of the names, or that of a variable in `${NAME}`.
    private func isName(at range: Range<String.Index>, in text: String) -> Bool {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start > text.startIndex, !Self.isBoundary(text[text.index(before: start)]) { start = text.index(before: start) }
        while end < text.endIndex, !Self.isBoundary(text[end]) { end = text.index(after: end) }
        let word = text[start..<end]
        if names.contains(String(word.hasSuffix(":") ? word.dropLast() : word)) { return true }
        let variable = word.prefix { $0.unicodeScalars.allSatisfy(Identifier.canContain) }
        return text[..<start].hasSuffix("${") && range.upperBound <= variable.endIndex
    }

    private static func isBoundary(_ character: Character) -> Bool {
        character.isWhitespace || "`'\"()[]{},;".contains(character)
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self }
}
