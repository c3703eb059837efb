import Pipeline
import PipelineYAML
import Testing

@testable import PipeRunKit

/// Carets stand under what they mean, whatever stands before it.
@Suite struct CaretTests {
    /// What a terminal shows under the first and the last caret, with a tab stop every eight columns.
    private static func underlined(_ text: String) throws -> (first: Character, last: Character, count: Int) {
        let lines = Reading.printed(text).split(separator: "\n").map(String.init)
        let index = try #require(lines.firstIndex { $0.hasSuffix("^") })
        let (line, carets) = (columns(of: lines[index - 1]), columns(of: lines[index]))
        let first = try #require(carets.firstIndex(of: "^"))
        let last = try #require(carets.lastIndex(of: "^"))
        #expect(carets[first...last].allSatisfy { $0 == "^" })
        return (line[first], line[last], last - first + 1)
    }

    /// The character in each column: a wide one in two, what joins the one before in none. Not by the code under test.
    private static func columns(of line: String) -> [Character] {
        var columns: [Character] = []
        for scalar in line.unicodeScalars {
            switch scalar {
            case "\t": columns += Array(repeating: " ", count: 8 - columns.count % 8)
            case "\u{301}", "\u{200D}", "\u{FE0F}", "\u{1161}", "\u{11A8}", "\u{200B}": break
            case "日", "本", "語", "Ａ", "한", "\u{1100}", "🙂", "👩", "💻", "⌛", "✅", "🚀", "。": columns += [Character(scalar), Character(scalar)]
            default: columns.append(Character(scalar))
            }
        }
        return columns
    }

    @Test(arguments: [
        "s", "日本語", "Ａ", "한", "\u{1100}\u{1161}\u{11A8}", "e\u{301}e\u{301}", "🙂", "👩\u{200D}💻", "⌛✅🚀", "♥\u{FE0F}", "a\u{200B}b", "🇩🇪",
        "é", "Ω", "א", "…", "a\u{AD}b", "。",
    ]) func `behind a name of any width`(name: String) throws {
        let text = "sources: { \"\(name)\": { type: memory, max_entries: XanyY } }\npipelines: { p: { tiers: [\"\(name)\"] } }\n"

        let (first, last, count) = try Self.underlined(text)

        #expect(first == "X" && last == "Y" && count == 5)
    }

    @Test(arguments: ["日本語", "🙂", "e\u{301}", "한", "👩\u{200D}💻", "\u{1100}\u{1161}", "a\u{301}b日"])
    func `under a value of any width`(value: String) throws {
        let text = "sources: { s: { type: memory, max_entries: X\(value)Y } }\npipelines: { p: { tiers: [s] } }\n"

        let (first, last, _) = try Self.underlined(text)

        #expect(first == "X" && last == "Y")
    }

    @Test(arguments: ["\t", "\t\t", " \t", "\t \t"]) func `behind tabs, and under them`(tabs: String) throws {
        let before = "sources: { s: { type: memory,\(tabs)max_entries:\(tabs)XanyY } }\npipelines: { p: { tiers: [s] } }\n"
        let within = "sources: { s: { type: memory, max_entries: X\(tabs)Y } }\npipelines: { p: { tiers: [s] } }\n"

        #expect(try Self.underlined(before) == ("X", "Y", 5))
        let (first, last, _) = try Self.underlined(within)
        #expect(first == "X" && last == "Y")
    }

    @Test func `in a line that is cut`() throws {
        let wide = String(repeating: "日本語🙂", count: 100)
        let text = "sources: { s: { type: memory, max_entries: XanyY, # \(wide)\n } }\npipelines: { p: { tiers: [s] } }\n"
        let behind = "sources: { \"\(wide)\": { type: memory, max_entries: XanyY } }\npipelines: { p: { tiers: [\"\(wide)\"] } }\n"

        #expect(try Self.underlined(text) == ("X", "Y", 5))
        #expect(try Self.underlined(behind) == ("X", "Y", 5))
    }

    @Test func `the second place of an alias, behind wide characters`() throws {
        let printed = Reading.printed(
            """
            sources:
              日本: { type: memory, max_entries: &most 多い }
              語: { type: memory, max_entries: *most }
            pipelines: { p: { tiers: [日本, 語] } }
            """)

        #expect(
            printed.contains(
                "\n  2 |   日本: { type: memory, max_entries: &most 多い }\n    |                                            ^^^^\n"))
        #expect(printed.contains("note: pipeline.yaml:3:35: it is used here\n  3 |   語: { type: memory, max_entries: *most }\n"))
        #expect(printed.hasSuffix("\n    |                                    ^^^^^\n"))
    }
}
