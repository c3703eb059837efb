import Pipeline
import PipelineConfig
import PipelineTesting
import Testing

@testable import PipelineYAML

@Suite struct FixTests {
    private static func fixed(_ text: String, plugins: [SourcePlugin] = Reading.plugins) -> FixedFile {
        FixedFile(Reading.file(text), plugins: plugins, environment: Reading.environment)
    }

    private static func text(_ text: String) -> String {
        String(decoding: fixed(text).file.text, as: UTF8.self)
    }

    private static let sound = """
        sources:
          disk: { type: file, path: ".cache/{key}.json" } # kept
          api: { type: http, url: "http://h/a", timeout: 2s }
        pipelines:
          friends: { description: "ä🙂", tiers: [ disk, { source: api } ] }

        """

    @Test(arguments: [
        ("type: file", "type: fil"), ("timeout: 2s", "timout: 2s"), ("timeout: 2s", "\"timout\": 2s"), ("[ disk,", "[ dsk,"),
        ("sources:", "source:"), ("tiers:", "tires:"), ("\".cache/{key}.json\"", ".cache/{key}.json"), ("type: http", "type: 'htp'"),
    ])
    func `mends what can only have been meant, and nothing else`(right: String, wrong: String) {
        let broken = Self.sound.replacing(right, with: wrong)

        let mended = Self.text(broken)

        #expect(mended.replacing("\"timeout\"", with: "timeout").replacing("'http'", with: "http") == Self.sound)
    }

    @Test func `mends several in one file, whatever its line breaks and its first bytes`() {
        let sound = "\u{FEFF}" + Self.sound.replacing("\n", with: "\r\n")
        let broken = sound.replacing("timeout", with: "timout").replacing("[ disk", with: "[\tdsk").replacing(
            "\".cache/{key}.json\"", with: ".cache/{key}.json")

        #expect(Self.text(broken) == sound.replacing("[ disk", with: "[\tdisk"))
    }

    @Test(arguments: [
        // A value of a variable; two that are as near; a name that is there; an edit that only brings another problem.
        Self.sound.replacing("[ disk,", with: "[ \"${EMPTY:-dsk}\","),
        Self.sound.replacing("[ disk,", with: "[ dis,").replacing("  api:", with: "  dish: { type: memory }\n  api:"),
        Self.sound.replacing("timeout: 2s", with: "timeout: 2s, timout: 3s"),
        Self.sound.replacing("[ disk, { source: api } ]", with: "[ api, { source: appi } ]"),
    ])
    func `leaves what is not certain`(text: String) {
        let file = Self.fixed(text)

        #expect(file.report.diagnostics.contains { $0.severity == .error })
        #expect(String(decoding: file.file.text, as: UTF8.self) == text && file.fixed.isEmpty)
    }

    @Test(arguments: [
        // A field behind a type, a value behind a field, a type behind a section, all three at once.
        ["type: http, url: \"http://h/a\", timeout:": "type: htp, url: \"http://h/a\", timout:"],
        ["tiers: [ disk, { source: api } ]": "tires: [ disk, { sorce: apii } ]"],
        ["sources:": "source:", "type: file": "type: fil"],
        [
            "sources:": "source:", "type: http, url: \"http://h/a\", timeout:": "type: htp, url: \"http://h/a\", timout:",
            "[ disk,": "[ dsk,",
        ],
    ])
    func `mends what hides another problem that can be mended`(damage: [String: String]) {
        let broken = damage.reduce(Self.sound) { $0.replacing($1.key, with: $1.value) }

        let file = Self.fixed(broken)

        #expect(String(decoding: file.file.text, as: UTF8.self) == Self.sound)
        #expect(file.report.codes == [] && file.fixed.count >= 2)
    }

    @Test func `an edit that helps does not carry one that does not`() {
        let broken = Self.sound.replacing("timeout", with: "timout").replacing("{ source: api } ]", with: "api, { source: appi } ]")

        let file = Self.fixed(broken)

        #expect(file.fixed.map(\.code) == [.unknownField])
        #expect(String(decoding: file.file.text, as: UTF8.self) == broken.replacing("timout", with: "timeout"))
    }

    @Test func `a type is left alone when what it hides cannot be mended`() {
        let broken = Self.sound.replacing("type: http, url: \"http://h/a\"", with: "type: htp")

        let file = Self.fixed(broken)

        #expect(file.report.codes == ["P106"] && file.fixed.isEmpty)
    }

    @Test(arguments: [
        ("on_error: next", "on_error: nxt"), ("format: json", "format: jsn"), ("write_back: auto", "write_back: auot"),
        ("write_back: none", "write_back: 'non'"), ("write_back: { api: [ disk ] }", "write_back: { apy: [ disk ] }"),
        ("write_back: { api: [ disk ] }", "write_back: { api: [ dissk ] }"), ("retry: { attempts: 3 }", "retry: { atempts: 3 }"),
    ])
    func `mends words, names of routes and nested fields`(right: String, wrong: String) {
        let isOfTier = right.hasPrefix("on_error") || right.hasPrefix("retry")
        let place = isOfTier ? "source: api }" : "tiers:"
        let sound = Self.sound.replacing(place, with: isOfTier ? "source: api, \(right) }" : "\(right), tiers:")
        #expect(Self.fixed(sound).report.codes == [])

        let mended = Self.text(sound.replacing(right, with: wrong))

        #expect(mended.replacing("'none'", with: "none") == sound)
    }

    @Test func `a deprecated field becomes the one that replaces it, where that is not there`() {
        let plugin = SourcePlugin(
            origin: "old", summary: "Has a field of old.", capabilities: [.neverMisses],
            fields: Field("limit", default: 1, "A number."), Field("most", default: 1, "A number.").deprecated(use: "limit")
        ) { context, _, _ in StubSource(clock: context.clock) }
        func fixed(_ fields: String) -> FixedFile {
            Self.fixed("sources:\n  o: { type: old, \(fields) }\npipelines:\n  p: { tiers: [ o ] }\n", plugins: [plugin])
        }

        let plain = fixed("most: 3")
        let both = fixed("most: 3, limit: 4")

        #expect(String(decoding: plain.file.text, as: UTF8.self).contains("{ type: old, limit: 3 }"))
        #expect(plain.fixed.map(\.code) == [.unknownField] && plain.report.codes == [])
        #expect(both.fixed.isEmpty && both.report.diagnostics.map(\.severity) == [.warning])
    }

    @Test(arguments: ["path: {key}", "path: { key }", "path: {key} # kept"]) func `braces that became a mapping get their quotes`(
        line: String
    ) {
        let text =
            "sources:\n  disk:\n    type: file\n    \(line)\n  api: { type: http, url: \"http://h/\" }\npipelines:\n  p: { tiers: [ disk, api ] }\n"

        let file = Self.fixed(text)

        #expect(file.fixed.map(\.code) == [.wrongType])
        #expect(
            String(decoding: file.file.text, as: UTF8.self)
                == text.replacing("{ key }", with: "{key}").replacing("{key}", with: "\"{key}\""))
    }

    @Test func `what aliases and merges bring to several places is mended once, where it stands`() {
        let sound = """
            sources:
              one: { type: http, url: "http://h/1", timeout: 1s, headers: &headers { A: b } }
              two: &two
                type: http
                url: "http://h/2"
                timeout: 2s
              three:
                <<: *two
                url: "http://h/3"
              four: { <<: *two, headers: *headers }
            pipelines:
              p: { tiers: &tiers [ { source: one, on_error: next }, two, three, four ] }
              q: { tiers: *tiers }

            """
        #expect(Self.fixed(sound).report.codes == [])
        let broken = sound.replacing("timeout: 2s", with: "timout: 2s").replacing("on_error: next", with: "on_error: nxt")
            .replacing("type: http\n", with: "type: htp\n")

        let file = Self.fixed(broken)

        #expect(String(decoding: file.file.text, as: UTF8.self) == sound)
        #expect(file.fixed.map(\.code.rawValue).sorted() == ["P101", "P106", "P107"])
    }

    @Test func `what is wrong only in one of the places that an alias brings it to is left, with those places named`() {
        // As a field of memory it comes near to nothing; as one of http it is `timeout`.
        let text = """
            sources:
              api: { <<: &shared { timout: 2s }, type: http, url: "http://h/" }
              memory: { <<: *shared, type: memory }
            pipelines:
              p: { tiers: [ memory, api ] }

            """

        let file = Self.fixed(text)

        #expect(file.fixed.isEmpty && String(decoding: file.file.text, as: UTF8.self) == text)
        #expect(file.report.codes == ["P101"])
        #expect(file.report.diagnostics.first?.related.map(\.message) == ["it is used here", "it is used here"])
    }

    @Test(arguments: 0..<4) func `damaged texts are mended to fewer problems or stay`(_ part: Int) {
        var random = SplitMix64(seed: UInt64(part) + 77)
        let valid = Array(MutationTests.valid.utf8)
        for _ in 0..<250 {
            let file = ConfigFile(text: MutationTests.mutated(valid, with: &random), name: "f")
            let mended = FixedFile(file, plugins: Reading.plugins, environment: Reading.environment)
            #expect(mended.fixed.isEmpty == (mended.file.text == file.text))
            guard let once = FormattedFile(file) else { continue }
            #expect(FormattedFile(once.file)?.file.text == once.file.text, "\(String(decoding: file.text, as: UTF8.self).debugDescription)")
        }
    }

    @Test(arguments: [
        ("a:   1\n", "a: 1\n"), ("a: {  b:  1,   c: [1,  2 ]  }\n", "a: { b: 1, c: [1, 2 ] }\n"),
        // In a scalar, before a comment and after the `-` of a list they mean something.
        ("a: x  y  \n", "a: x  y\n"), ("a: \"x  y\"   # two  words\nbb: 1     # one\n", "a: \"x  y\"   # two  words\nbb: 1     # one\n"),
        ("a:\n  -   b:  1\n      c:  2\n", "a:\n  -   b: 1\n      c: 2\n"), ("a: &x   !!str   1\nb:   *x\n", "a: &x !!str 1\nb: *x\n"),
        ("a: |\n  x   y\nb:  >-\n  x   y\n", "a: |\n  x   y\nb: >-\n  x   y\n"), ("\"é  é\":   'ü  ü'\n", "\"é  é\": 'ü  ü'\n"),
        ("one two:   # 1  2\n  x\n", "one two:   # 1  2\n  x\n"), ("a: x\n   y  z\n", "a: x\n   y  z\n"),
    ])
    func `leaves one space between the parts of a line`(text: String, expected: String) throws {
        let formatted = try #require(FormattedFile(Reading.file(text)))

        #expect(String(decoding: formatted.file.text, as: UTF8.self) == expected)
    }

    @Test func `lays out white space alone, and not that of a text`() throws {
        let text = "\u{FEFF}a: 1 # x \t\r\n\r\n \r\n\nb: |\n  x  \n\n\n  y\n\n\nc: \"1 \n\n\n  2\"\n\n\n"

        let formatted = try #require(FormattedFile(Reading.file(text)))

        #expect(String(decoding: formatted.file.text, as: UTF8.self) == "a: 1 # x\n\nb: |\n  x  \n\n\n  y\n\nc: \"1 \n\n\n  2\"\n")
    }
}
