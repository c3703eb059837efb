import Foundation
import Pipeline
import PipelineConfig
import PipelineYAML
import Testing

/// Odd, large and hostile texts: refused with a diagnostic, and soon.
@Suite struct LimitTests {
    private static let tail = "pipelines: { p: { tiers: [s] } }\n"

    @Test(arguments: ["", "\n\n", "# nothing\n", "\u{FEFF}", "\u{FEFF}# nothing\r\n", "---\n", "---\n...\n", "~\n", "null", "   "])
    func `a text without a document needs sources and pipelines`(_ text: String) {
        #expect(Reading.report(text).summary == ["P102 the configuration is empty: it needs `sources` and `pipelines`"])
    }

    @Test func `the limit of bytes is exact`() {
        let text = Array("sources: { s: { type: http, url: http://h/ } }\n".utf8) + Array(Self.tail.utf8)

        #expect(Reading.report(bytes: text, limits: ConfigLimits(bytes: text.count)).codes == [])
        #expect(Reading.report(bytes: text, limits: ConfigLimits(bytes: text.count - 1)).codes == ["P003"])
        #expect(Reading.report(bytes: Array(repeating: UInt8(ascii: "#"), count: 16 << 20)).codes == ["P102"])
        #expect(
            Reading.report(bytes: Array(repeating: UInt8(ascii: "#"), count: 16 << 20 + 1)).summary == [
                "P003 the text is larger than 16MiB"
            ])
    }

    @Test func `the limit of depth is exact`() {
        func nested(_ depth: Int) -> String {
            "sources: { s: { type: http, url: http://h/, colour: " + String(repeating: "[", count: depth)
                + String(repeating: "]", count: depth)
                + " } }\n" + Self.tail
        }

        #expect(Reading.report(nested(62)).codes == ["P101"])
        #expect(Reading.report(nested(63)).codes == ["P003"])
        #expect(Reading.report("a: [[[]]]", limits: ConfigLimits(depth: 2)).summary == ["P003 nested deeper than 2 levels"])
    }

    @Test(arguments: ["[", "{", "- ", "? ", "{a: ", "[[", "- - ", "&a [", "!t ["]) func `endless nesting is refused`(_ opening: String) {
        let codes = Reading.report(String(repeating: opening, count: 100_000)).codes

        #expect(codes.contains("P003") || codes.contains("P001"))
    }

    @Test func `the limit of nodes counts what aliases stand for`() {
        let text = "a: &a [1, 2, 3]\nb: *a\n"

        // A mapping, its two keys, and twice a list of three.
        #expect(!Reading.report(text, limits: ConfigLimits(nodes: 11)).codes.contains("P003"))
        #expect(Reading.report(text, limits: ConfigLimits(nodes: 10)).codes == ["P003"])
    }

    @Test func `a billion laughs are refused`() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...30 { text += "a\(level): &a\(level) [\((0..<9).map { _ in "*a\(level - 1)" }.joined(separator: ", "))]\n" }

        #expect(Reading.report(text).codes == ["P003"])
    }

    @Test func `merges of merges are refused or read, and end`() {
        var text = "m0: &m0 { a: 1, b: 2 }\n"
        for level in 1...40 { text += "m\(level): &m\(level) { <<: [*m\(level - 1), *m\(level - 1)], k\(level): 1 }\n" }

        #expect(Reading.report(text).codes == ["P003"])
    }

    @Test func `a large merge ends`() {
        let members = (0..<100_000).map { "k\($0): 1" }.joined(separator: ", ")

        let report = Reading.report("a: &a { \(members) }\nsources: { s: { type: memory, <<: *a } }\n" + Self.tail)

        #expect(report.diagnostics.count == 10_001)
        #expect(report.summary.contains("P003 more than 10000 problems: the rest is left out"))
    }

    @Test(arguments: ["a: &a [*a]", "a: &a { b: { c: *a } }", "a: &a { <<: *a }", "&a [*a]"])
    func `an alias inside its own anchor is refused`(_ text: String) {
        #expect(Reading.report(text).summary == ["P003 the alias `*a` stands inside its own anchor"])
    }

    @Test func `an anchor that is used again means the later one`() {
        let report = Reading.report(
            "sources: { s: { type: &t memory }, t: { type: &t file, path: x }, u: { type: *t, path: y, read_only: true } }\npipelines: { p: { tiers: [s, t, u] } }\n"
        )

        #expect(report.summary == [])
    }

    @Test(
        arguments: [
            ([0xFF], 1, 1), ([0x61, 0x0A, 0xC3, 0xA9, 0x80], 2, 2), ([0x23, 0xED, 0xA0, 0x80], 1, 2), ([0xC0, 0x80], 1, 1),
            ([0xF4, 0x90, 0x80, 0x80], 1, 1),
            ([0x61, 0xC3], 1, 2), ([0xFF, 0xFE, 0x61, 0x00], 1, 1), ([0xFE, 0xFF, 0x00, 0x61], 1, 1),
            ([0xEF, 0xBB, 0xBF, 0x61, 0xFF], 1, 2),
            ([0xE2, 0x80, 0xA8, 0x20, 0xFF], 2, 2),
        ] as [([UInt8], Int, Int)]) func `bytes that are no UTF-8 have a place`(_ bytes: [UInt8], _ line: Int, _ column: Int)
    {
        let diagnostics = Reading.report(bytes: bytes).diagnostics

        #expect(diagnostics.map(\.code) == [.unreadable])
        #expect(diagnostics.first?.range.start == TextPosition(line: line, column: column))
    }

    @Test func `UTF-16 without a mark is a control character`() {
        #expect(Reading.report(bytes: "a: b".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }).summary == ["P001 a control character"])
    }

    @Test(arguments: ["\n", "\r\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"], ["", "\u{FEFF}"])
    func `every line end and a byte order mark are fine`(_ end: String, _ mark: String) {
        let lines = [
            "sources:", "  s:", "    type: http", "    url: http://h/", "pipelines:", "  p:", "    tiers: [s]", "    colour: blue", "",
        ]

        let diagnostics = Reading.report(mark + lines.joined(separator: end)).diagnostics

        #expect(diagnostics.map(\.code) == [.unknownField])
        #expect(diagnostics.first?.range == TextRange(TextPosition(line: 8, column: 5), TextPosition(line: 8, column: 11)))
    }

    @Test(arguments: ["---\na: b\n---\nc: d\n", "a: b\n---\n", "a: b\n...\n---\nc: d\n", "---\n---\n"]) func `a second document is refused`(
        _ text: String
    ) {
        #expect(Reading.report(text).codes.contains("P005"))
    }

    @Test func `tabs between tokens are fine`() {
        #expect(Reading.report("sources:\t{ s:\t{\ttype:\thttp,\turl:\thttp://h/\t}\t}\t# tab\n" + Self.tail).summary == [])
    }

    @Test func `names that Unicode calls the same are found, and stay two`() {
        let report = Reading.report(
            "sources: { \u{E9}: { type: memory }, e\u{301}: { type: http, url: http://h/ } }\npipelines: { p: { tiers: [\u{E9}, e\u{301}] } }\n"
        )

        #expect(report.codes == ["P002"])
        #expect(report.plan.pipelines.first?.tiers.map { $0.source.name.unicodeScalars.count } == [1, 2])
    }

    @Test func `a source is found by its bytes`() {
        let report = Reading.report("sources: { \u{E9}t: { type: memory } }\npipelines: { p: { tiers: [e\u{301}t] } }\n")

        #expect(report.codes == ["P201"])
    }

    @Test(arguments: ["{ [a]: b }", "{ {a: b}: c }", "? [a, b]\n: c\n"]) func `a key is a word`(_ text: String) {
        #expect(Reading.report(text).codes.contains("P103"))
    }

    @Test(arguments: ["!!int", "!!str", "!!map", "!", "!<tag:yaml.org,2002:str>"]) func `the tags of YAML are read over`(_ tag: String) {
        let value =
            tag == "!!map"
            ? "sources: !!map { s: { type: http, url: http://h/ } }\n" : "sources: { s: { type: \(tag) http, url: http://h/ } }\n"

        #expect(Reading.report(value + Self.tail).summary == [])
    }

    @Test(arguments: ["!python/object:os.system", "!!python/object", "!x", "!<x>"]) func `other tags do nothing`(_ tag: String) {
        let codes = Reading.report("sources: { s: { type: \(tag) http, url: http://h/ } }\n" + Self.tail).codes

        #expect(codes == ["P103"] || codes == [] && tag.hasPrefix("!!"))
    }

    @Test func `long names are cut in messages`() {
        // libyaml takes no key of more than 1,024 characters.
        let name = String(repeating: "n", count: 900)

        let report = Reading.report(
            "sources: { \(name): { type: \(name), \(name): 1 }, t: { typo: 1 } }\npipelines: { \(name): { tiers: [\(name)x], \(name): 2 } }\n\(name): 3\n"
        )

        #expect(report.diagnostics.count > 3)
        for diagnostic in report.diagnostics {
            #expect(diagnostic.message.count < 300)
            #expect((diagnostic.help ?? "").count < 2_000)
        }
    }

    @Test func `a long line is shown around the carets`() {
        let printed = Reading.printed("sources: { s: { type: memory, \(String(repeating: "x", count: 10_000)): 1 } }\n" + Self.tail)

        #expect(printed.utf8.count < 2_000)
        #expect(printed.contains("…"))
        #expect(printed.contains("^"))
    }

    @Test(arguments: ["\\e[2J", "\\x9b31m", "\\u202Eevil", "\\a"]) func `nothing that a terminal obeys is printed`(_ escape: String) {
        let printed = Reading.printed(
            "sources: { \"s\(escape)\": { \"f\(escape)\": 1 }, t: { type: \"m\(escape)\" } }\npipelines: { p: { tiers: [\"n\(escape)\"] } }\n"
        )

        #expect(
            printed.unicodeScalars.allSatisfy {
                $0 == "\n" || ($0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0.value != 0x202E)
            })
    }

    @Test func `many undefined names are explained in time`() {
        let sources = (0..<5_000).map { "source\($0): { type: memory }" }.joined(separator: ", ")
        let tiers = (0..<1_000).map { "surce\($0)" }.joined(separator: ", ")

        let report = Reading.report("sources: { \(sources) }\npipelines: { p: { tiers: [\(tiers)] } }\n")

        #expect(report.diagnostics.count { $0.code == .undefinedSource } == 1_000)
    }

    @Test func `a valid file of 10 MB is read`() {
        var text = "sources:\n  memory: { type: memory }\n  api: { type: http, url: http://127.0.0.1:8787/friends }\npipelines:\n"
        var count = 0
        while text.utf8.count < 10_000_000 {
            text +=
                "  pipeline\(count):\n    description: number \(count), \(String(repeating: "with many words ", count: 30))\n    tiers: [{ source: memory, ttl: 30s }, api]\n"
            count += 1
        }

        let clock = ContinuousClock()
        var report: ConfigReport?
        let time = clock.measure { report = Reading.report(text) }

        print("10 MB, \(count) pipelines: \(time)")
        #expect(report?.summary == [])
        #expect(report?.plan.pipelines.count == count)
    }
}
