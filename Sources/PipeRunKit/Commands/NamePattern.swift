internal import ArgumentParser

/// A regular expression for names, as it is written on the command line.
struct NamePattern {
    let text: String
    private let regex: Regex<AnyRegexOutput>

    @Sendable static func read(_ text: String) throws -> NamePattern {
        do { return NamePattern(text: text, regex: try Regex(text)) } catch { throw ValidationError("`\(text)` is no regular expression") }
    }

    func matches(_ name: String) -> Bool { name.firstMatch(of: regex) != nil }
}
