internal import PipelineConfig
internal import PipelineYAML

/// The words of a command line that is being typed, as the shell gives them: with their quotes, `~` in front, and in bash cut at `=`.
struct CommandWords {
    /// The words, the command itself first.
    let words: [String]
    /// Which of them is being typed.
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

    /// Whether what is being typed is the value after a `=`.
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
