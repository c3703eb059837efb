import Pipeline
import PipelineConfig
import PipelineYAML
import Testing

@testable import PipelineReports

/// A file may be one line with very many places in it: what is read and shown of it is bounded for each place.
@Suite struct LongLineTests {
    private static let mixed = (0..<900).map { "a\($0)é日🙂" }.joined(separator: " ")

    private static func lines(_ text: String) -> SourceLines { ConfigFile(text: Array(text.utf8), name: "a.yaml").lines }

    @Test(arguments: ["", "\u{FEFF}", "x\n", "日本\r\n"])
    func `a part of a long line is the same as the part of its scalars`(before: String) {
        let lines = Self.lines(before + Self.mixed + "\r\nend")
        let number = before.hasSuffix("\n") || before.hasSuffix("\r\n") ? 2 : 1
        let scalars = Array(Self.mixed.unicodeScalars)

        #expect(lines.scalarCount(ofLine: number) == scalars.count)
        for start in stride(from: 0, through: scalars.count, by: 37) {
            for length in [0, 1, 5, 300] {
                let part = start..<(start + length)
                #expect(lines.scalars(ofLine: number, part) == Array(scalars[part.clamped(to: 0..<scalars.count)]))
            }
        }
        #expect(lines.scalars(ofLine: number, (scalars.count + 1)..<(scalars.count + 2)) == [])
        #expect(lines.scalars(ofLine: number + 1, 0..<9) == Array("end".unicodeScalars))
        #expect(lines.scalarCount(ofLine: number + 2) == 0 && lines.scalars(ofLine: 0, 0..<9) == [])
    }

    @Test func `what is not UTF-8 is shown as before`() {
        let lines = ConfigFile(text: Array("a: ".utf8) + [0x80, 0xFF] + Array("bc".utf8), name: "a.yaml").lines

        #expect(lines.scalarCount(ofLine: 1) == 7)
        #expect(lines.scalars(ofLine: 1, 3..<6) == ["\u{FFFD}", "\u{FFFD}", "b"])
    }

    @Test func `the place of a scalar is behind its anchor and its tag, however long the line`() throws {
        let words = (0..<1_000).map { $0 % 2 == 0 ? "&a\($0) 日\($0)" : "!!str  \"日\($0)\"" }
        let file = ConfigFile(text: Array("x: [\(words.joined(separator: ", "))]".utf8), name: "a.yaml")

        let root = try #require(file.root)
        guard case .mapping(let members) = root.content, case .sequence(let elements)? = members.first?.value.content else {
            Issue.record("no list")
            return
        }
        for (index, element) in elements.enumerated() {
            let part = (element.range.start.column - 1)..<(element.range.end.column - 1)
            let shown = String(String.UnicodeScalarView(file.lines.scalars(ofLine: 1, part)))
            #expect(shown == (index % 2 == 0 ? "日\(index)" : "\"日\(index)\""))
        }
    }

    @Test func `each of very many problems on one line shows a bounded part of it, and no secret`() {
        let fields = (0..<500).map { "unknown\($0): 1" }.joined(separator: ", ")
        let text = """
            sources:
              a: { type: http, url: "http://h", headers: { Authorization: very-long-secret }, \(fields) }
            pipelines: { p: { tiers: [a] } }
            """

        let printed = Reading.printed(text)

        let excerpts = printed.split(separator: "\n").filter { $0.hasPrefix("  2 | ") }
        #expect(excerpts.count > 100)
        #expect(excerpts.allSatisfy { $0.unicodeScalars.count <= "  2 | ……".unicodeScalars.count + 200 })
        #expect(!printed.contains("very-long") && !printed.contains("long-secret"))
        #expect(printed.contains("****************"))
        #expect(printed.contains("unknown499: 1 }\n"))
    }

    @Test func `a part of a masked line is the same as the part of the whole line`() {
        let lines = Self.lines("x\n" + Self.mixed + "\ny")
        func place(_ line: Int, _ column: Int) -> TextPosition { TextPosition(line: line, column: column) }
        let secrets = [
            TextRange(place(2, 700), place(2, 900)), TextRange(place(2, 10), place(2, 400)), TextRange(place(2, 300), place(2, 500)),
            TextRange(place(2, 20), place(2, 30)), TextRange(place(2, 5_000), place(3, 2)),
        ]
        let masked = MaskedLines(lines, secrets: secrets)
        var whole = Array(Self.mixed.unicodeScalars)
        for index in [9..<499, 699..<899, 4_999..<whole.count].joined() { whole[index] = "*" }

        #expect(masked[2] == whole)
        #expect(masked[3] == ["*"] && masked[1] == ["x"] && masked[4] == [])
        for start in stride(from: 0, to: whole.count, by: 41) {
            let part = start..<(start + 200)
            #expect(masked[2, part] == Array(whole[part.clamped(to: 0..<whole.count)]))
        }
    }

    @Test func `fingerprints of problems on one line do not depend on which was asked for before`() {
        func problem(_ code: DiagnosticCode, _ column: Int) -> Diagnostic {
            let start = TextPosition(line: 1, column: column)
            return Diagnostic(
                code, "m", file: "a.yaml", range: TextRange(start, TextPosition(line: 1, column: column + 2)), help: nil)
        }
        let asked = [problem(.unknownField, 1), problem(.unknownField, 4), problem(.wrongType, 4), problem(.unknownField, 7)]
        var together = Fingerprints()

        for (index, diagnostic) in asked.enumerated() {
            let line = index == 3 ? "another line" : "ab cd  ef"
            var alone = Fingerprints()
            #expect(together.next(diagnostic, line: line) == alone.next(diagnostic, line: line))
        }
    }

    @Test func `a word of a long comment is found at its place`() {
        let codes = String(repeating: "P302 ", count: 400)
        let text = "sources: {}\npipelines: {} # pipe-run: allow \(codes)P999 é\n"

        let problem = Reading.report(text).diagnostics.first { $0.message.contains("P999") }

        #expect(problem?.range.start == TextPosition(line: 2, column: 33 + 5 * 400))
        #expect(problem?.range.end == TextPosition(line: 2, column: 37 + 5 * 400))
    }

    @Test func `spaces between very many words of a line become one`() throws {
        let text = "x: [" + (0..<500).map { "é\($0),  \"b  \($0)\"" }.joined(separator: ",   ") + "]\n"

        let formatted = try #require(FormattedFile(ConfigFile(text: Array(text.utf8), name: "a.yaml")))

        let expected = "x: [" + (0..<500).map { "é\($0), \"b  \($0)\"" }.joined(separator: ", ") + "]\n"
        #expect(String(decoding: formatted.file.text, as: UTF8.self) == expected)
    }
}
