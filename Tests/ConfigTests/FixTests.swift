import Pipeline
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

    @Test func `lays out white space alone, and not that of a text`() throws {
        let text = "\u{FEFF}a: 1 # x \t\r\n\r\n \r\n\nb: |\n  x  \n\n\n  y\n\n\nc: \"1 \n\n\n  2\"\n\n\n"

        let formatted = try #require(FormattedFile(Reading.file(text)))

        #expect(String(decoding: formatted.file.text, as: UTF8.self) == "a: 1 # x\n\nb: |\n  x  \n\n\n  y\n\nc: \"1 \n\n\n  2\"\n")
    }
}
