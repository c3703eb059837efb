import Pipeline
import PipelineConfig
import PipelineYAML
import Testing

/// Where diagnostics point: exactly at what is wrong.
@Suite struct PlaceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: DiagnosticCode
        let yaml: String
    }

    private static let pipelines = "pipelines: { p: { tiers: [s] } }\n"

    static let cases = [
        Case(
            testDescription: "an unknown key", code: .unknownField,
            yaml: "sources: { s: { type: http, url: http://h/, 1️⃣sise2️⃣: 3 } }\n" + pipelines),
        Case(
            testDescription: "a quoted key", code: .unknownField,
            yaml: "sources: { s: { type: http, url: http://h/, 1️⃣\"sise\"2️⃣: 3 } }\n" + pipelines),
        Case(
            testDescription: "a plain value", code: .wrongType, yaml: "sources: { s: { type: memory, max_entries: 1️⃣many2️⃣ } }\n" + pipelines),
        Case(
            testDescription: "a quoted value", code: .wrongType, yaml: "sources: { s: { type: memory, max_entries: 1️⃣'10'2️⃣ } }\n" + pipelines
        ),
        Case(
            testDescription: "a value after an anchor", code: .wrongType,
            yaml: "sources: { s: { type: memory, max_entries: &most 1️⃣many2️⃣ } }\n" + pipelines),
        Case(
            testDescription: "a value after a tag and an anchor", code: .wrongType,
            yaml: "sources: { s: { type: memory, max_entries: !!int &most  1️⃣many2️⃣ } }\n" + pipelines),
        Case(
            testDescription: "a value after wide characters", code: .wrongType,
            yaml: "sources: { 記憶🙂: { type: memory, max_entries: 1️⃣many2️⃣ } }\npipelines: { p: { tiers: [記憶🙂] } }\n"),
        Case(
            testDescription: "a value after CRLF", code: .wrongType,
            yaml: "sources:\r\n  s:\r\n    type: memory\r\n    max_entries: 1️⃣many2️⃣\r\n" + pipelines),
        Case(
            testDescription: "a block list in place of a number ends with its last element", code: .wrongType,
            yaml: "sources:\n  s:\n    max_entries:\n      1️⃣- 1\n      - 22️⃣\n    type: memory\n" + pipelines),
        Case(
            testDescription: "a flow mapping in place of a number", code: .wrongType,
            yaml: "sources: { s: { type: memory, max_entries: 1️⃣{ a: 1 }2️⃣ } }\n" + pipelines),
        Case(
            testDescription: "a variable in a plain scalar", code: .variableNotSet,
            yaml: "sources:\n  s:\n    type: file\n    read_only: true\n    path: a/1️⃣${NO}2️⃣/b\n" + pipelines),
        Case(
            testDescription: "a variable in a quoted scalar", code: .variableNotSet,
            yaml: "sources: { s: { type: file, read_only: true, path: \"a/1️⃣${NO}2️⃣/b\" } }\n" + pipelines),
        Case(
            testDescription: "a variable after `$$`", code: .variableNotSet,
            yaml: "sources: { s: { type: file, read_only: true, path: 'a$$/1️⃣${NO}2️⃣/b' } }\n" + pipelines),
        Case(
            testDescription: "a variable within a default", code: .variableNotSet,
            yaml: "sources: { s: { type: file, read_only: true, path: 'a/${EMPTY:-x1️⃣${NO}2️⃣}/b' } }\n" + pipelines),
        Case(
            testDescription: "a variable in a scalar with escapes: the whole scalar", code: .variableNotSet,
            yaml: "sources: { s: { type: file, read_only: true, path: 1️⃣\"a\\x41/${NO}/b\"2️⃣ } }\n" + pipelines),
        Case(
            testDescription: "a parameter in a plain scalar", code: .undeclaredParameter,
            yaml: "sources:\n  s:\n    type: file\n    read_only: true\n    path: a/1️⃣{user}2️⃣.json\n" + pipelines),
        Case(
            testDescription: "a parameter in a quoted scalar after a variable", code: .undeclaredParameter,
            yaml: "sources: { s: { type: file, read_only: true, path: \"${SOURCE}/é/1️⃣{user}2️⃣.json\" } }\n" + pipelines),
        Case(
            testDescription: "a brace without its end", code: .malformed,
            yaml: "sources: { s: { type: file, read_only: true, path: \"a/1️⃣{user.json2️⃣\" } }\n" + pipelines),
        Case(
            testDescription: "a source in a list", code: .undefinedSource,
            yaml: "sources: { s: { type: memory } }\npipelines: { p: { tiers: [s, 1️⃣nowhere2️⃣] } }\n"),
        Case(
            testDescription: "a source in a mapping", code: .undefinedSource,
            yaml: "sources: { s: { type: memory } }\npipelines: { p: { tiers: [s, { ttl: 1s, source: 1️⃣nowhere2️⃣ }] } }\n"),
        Case(
            testDescription: "a control character", code: .yamlSyntax, yaml: "sources:\n  é🙂: 1️⃣\u{7}2️⃣\n"),
        Case(
            testDescription: "lines that end with NEL, LS and PS", code: .wrongType,
            yaml: "# one\u{85}# two\u{2028}# three\u{2029}sources: { s: { type: memory, max_entries: 1️⃣many2️⃣ } }\n" + pipelines),
    ]

    @Test(arguments: cases) func `a diagnostic underlines what is wrong and no more`(_ example: Case) throws {
        let marked = MarkedText(example.yaml)

        let diagnostics = Reading.report(marked.text).diagnostics

        let only = try #require(diagnostics.first)
        #expect(diagnostics.count == 1)
        #expect(only.code == example.code)
        #expect(only.range == marked["1️⃣", "2️⃣"])
    }

    @Test func `a problem behind an alias names both places`() throws {
        let marked = MarkedText(
            """
            sources:
              one: { type: memory, max_entries: &most 1️⃣many2️⃣ }
              two: { type: memory, max_entries: 3️⃣*most4️⃣ }
            pipelines: { p: { tiers: [one, two] } }
            """)

        let diagnostics = Reading.report(marked.text).diagnostics

        #expect(diagnostics.map(\.range) == [marked["1️⃣", "2️⃣"]])
        #expect(diagnostics.first?.related.compactMap(\.range) == [marked["3️⃣", "4️⃣"]])
    }

    @Test func `a problem behind a merge names the merge`() throws {
        let marked = MarkedText(
            """
            sources:
              one: &base { type: memory }
              two: { 3️⃣<<4️⃣: &more { 1️⃣colour2️⃣: blue }, type: http, url: http://h/ }
            pipelines: { p: { tiers: [one, two] } }
            """)

        let diagnostics = Reading.report(marked.text).diagnostics

        #expect(diagnostics.map(\.code) == [.unknownField])
        #expect(diagnostics.first?.range == marked["1️⃣", "2️⃣"])
        #expect(diagnostics.first?.related.compactMap(\.range) == [marked["3️⃣", "4️⃣"]])
    }

    @Test func `a problem behind a merge and an alias names all three places`() throws {
        let marked = MarkedText(
            """
            sources:
              one: &base { type: memory, max_entries: &most 1️⃣many2️⃣ }
              two: { 3️⃣<<4️⃣: { max_entries: 5️⃣*most6️⃣ }, type: memory }
            pipelines: { p: { tiers: [one, two] } }
            """)

        let related = Reading.report(marked.text).diagnostics.map { $0.related.compactMap(\.range) }

        #expect(related.contains([marked["5️⃣", "6️⃣"], marked["3️⃣", "4️⃣"]]))
    }

    @Test func `the problems of a section behind an alias name the alias`() throws {
        let marked = MarkedText(
            """
            elsewhere: &all { s: { type: http, url: http://h/, 1️⃣colour2️⃣: blue } }
            sources: 3️⃣*all4️⃣
            pipelines: { p: { tiers: [s] } }
            """)

        let diagnostics = Reading.report(marked.text).diagnostics

        #expect(diagnostics.map(\.code) == [.unknownField, .unknownField])
        #expect(diagnostics.last?.range == marked["1️⃣", "2️⃣"])
        #expect(diagnostics.last?.related.compactMap(\.range) == [marked["3️⃣", "4️⃣"]])
    }

    @Test func `problems of the plan behind an alias name the alias`() throws {
        let marked = MarkedText(
            """
            sources: { s: { type: memory } }
            pipelines:
              p: { tiers: &tiers [s, 1️⃣nowhere2️⃣] }
              q: { tiers: 3️⃣*tiers4️⃣ }
            """)

        let diagnostics = Reading.report(marked.text).diagnostics

        #expect(diagnostics.map(\.range) == [marked["1️⃣", "2️⃣"]])
        #expect(diagnostics.first?.related.compactMap(\.range) == [marked["3️⃣", "4️⃣"]])
    }

    @Test func `a policy that a merge brings to an origin names the merge`() throws {
        let marked = MarkedText(
            """
            sources: { s: { type: memory }, o: { type: http, url: "http://h/" } }
            pipelines:
              p: { tiers: [&s { source: s, 1️⃣ttl2️⃣: 1s }, { 3️⃣<<4️⃣: *s, source: o }] }
            """)

        let diagnostics = Reading.report(marked.text).diagnostics

        #expect(diagnostics.map(\.code) == [.unsupportedPolicy])
        #expect(diagnostics.first?.range == marked["1️⃣", "2️⃣"])
        #expect(diagnostics.first?.related.contains { $0.range == marked["3️⃣", "4️⃣"] } == true)
    }

    @Test func `what is written wins over what is merged, and the first merge over the second`() throws {
        let merged = Reading.report(
            """
            sources:
              one: &one { type: memory, max_entries: -1 }
              two: &two { type: memory, max_entries: 2 }
              three: { <<: [*two, *one] }
              four: { <<: *one, max_entries: 4 }
            pipelines: { p: { tiers: [one, two, three, four] } }
            """)

        #expect(merged.codes == ["P104"], "only `one` itself is out of range")
    }
}
