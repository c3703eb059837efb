internal import Pipeline
internal import PipelineConfig
internal import PipelineYAML

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The words of a command line that is being typed, as the shell gives them: with their quotes, `~` in front, and in bash cut at `=`.
struct CommandWords {
    /// The words, the command itself first.
    let words: [String]
    /// The position of the word that is being typed.
    let index: Int

    /// The file that the words name, or the one that is there without a word.
    var configPath: String {
        for (position, word) in words.enumerated().dropFirst() where position != index {
            if word.hasPrefix("--config="), word != "--config=" { return Self.unquoted(String(word.dropFirst(9))) }
            guard word == "-c" || word == "--config", position + 1 < words.count else { continue }
            let isCut = words[position + 1] == "=" && position + 2 < words.count
            return Self.unquoted(words[position + (isCut ? 2 : 1)])
        }
        return ConfigOptions.unnamed
    }

    /// The first word that is one of `names` and no option's value.
    func first(of names: [String]) -> String? {
        words.enumerated().dropFirst(2).first { position, word in
            position != index && !words[position - 1].hasPrefix("-") && names.contains(Self.unquoted(word))
        }.map { Self.unquoted($0.element) }
    }

    /// The names before a `=`.
    var assigned: Set<String> {
        Set(
            words.enumerated().filter { $0.offset != index }.compactMap { position, word in
                if let equals = word.firstIndex(of: "="), equals > word.startIndex { return String(word[..<equals]) }
                return position + 1 < words.count && words[position + 1] == "=" ? word : nil
            })
    }

    /// Indicates whether the value after a `=` is being typed.
    var isInValue: Bool {
        guard words.indices.contains(index) else { return false }
        return words[index].contains("=") || words[index - 1] == "="
    }

    /// The word as the shell would pass it on.
    private static func unquoted(_ word: String) -> String {
        var text = ""
        var quote: Character?
        var isEscaped = false
        for character in word {
            if isEscaped {
                text.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else {
                text.append(character)
            }
        }
        guard word.hasPrefix("~/"), let home = ConfigEnvironment.process.variable("HOME") else { return text }
        return home + text.dropFirst()
    }
}

/// A list of names with commas, of which the last is being typed.
struct NameList {
    private let before: [String]
    private let last: String

    init(typed text: String) {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        before = Array(names.dropLast())
        last = names.last ?? ""
    }

    /// The list with each of `names` in the last place that does not stand before it; when that place holds a complete name, also with a
    /// further one.
    func completed(with names: [String]) -> [String] {
        let offered = names.filter { !before.contains($0) }
        let further = offered.contains(last) ? offered.filter { $0 != last }.map { before + [last, $0] } : []
        return (offered.map { before + [$0] } + further).map { $0.joined(separator: ",") }
    }
}

/// A configuration that can be read between two strokes of a key.
struct CompletedFile {
    let config: ConfigFile

    /// The size of the largest file that is read: more than people write by hand.
    private static let mostBytes = 1 << 20

    /// The file at `path`; nil if it is none: a pipe or a terminal would keep the shell waiting.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.mostBytes else { return nil }
        config = ConfigFile(path: path)
    }
}
