import Foundation
import Testing

extension CommandLineTests {
    /// Files that no person wrote by hand, or should not have.
    @Suite struct BadInputTests {
        struct Sample: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let bytes: [UInt8]
            let code: String

            init(_ name: String, _ text: String, _ code: String) {
                self.init(name, Array(text.utf8), code)
            }

            init(_ name: String, _ bytes: [UInt8], _ code: String) {
                testDescription = name
                self.bytes = bytes
                self.code = code
            }
        }

        static let samples: [Sample] = [
            Sample("nothing", "", "P102"),
            Sample("white space and a comment", " \n# nothing\n", "P102"),
            Sample("noise", (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 197 &+ $0 / 7) }, "P004"),
            Sample("zeros", [UInt8](repeating: 0, count: 1000), "P001"),
            Sample("a list", "- a\n- b\n", "P103"),
            Sample("a word", "hello\n", "P103"),
            Sample("an open bracket", "sources: [\n", "P001"),
            Sample("brackets without end", String(repeating: "[", count: 100_000), "P003"),
            Sample("mappings without end", (0..<2000).map { String(repeating: " ", count: $0) + "a:\n" }.joined(), "P003"),
            Sample("an alias inside itself", "sources: &a\n  x: *a\npipelines: {}\n", "P003"),
            Sample("a merge of itself", "sources: &a\n  <<: *a\npipelines: {}\n", "P003"),
            Sample("exploding anchors", exploding, "P003"),
            Sample("10 MB of one line", "description: \"" + String(repeating: "x", count: 10 << 20) + "\"\n", "P101"),
            Sample(
                "10 MB of lines", String(repeating: "# a comment of some length, again and again\n", count: 230_000) + "sources: 1\n",
                "P103"),
            Sample("17 MiB", [UInt8](repeating: UInt8(ascii: "#"), count: 17 << 20), "P003"),
            Sample("two documents", "pipelines: {}\n---\npipelines: {}\n", "P005"),
        ]

        static var exploding: String {
            var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
            for level in 1...12 {
                text += "a\(level): &a\(level) [" + (0..<9).map { _ in "*a\(level - 1)" }.joined(separator: ", ") + "]\n"
            }
            return text
        }

        @Test(arguments: samples)
        func `is refused with a message at a place, and no crash`(sample: Sample) async throws {
            let folder = try WorkFolder()
            try folder.write("pipeline.yaml", sample.bytes)

            let validated = try await folder.run("validate")
            let fetched = try await folder.run("fetch", "friends")
            let drawn = try await folder.run("graph")

            #expect(validated.status == 1, "\(validated.everything.prefix(500))")
            #expect(validated.text.contains("error[\(sample.code)]"), "\(validated.everything.prefix(500))")
            #expect(validated.text.contains(/(?m)^pipeline\.yaml:\d+:\d+: error/))
            #expect(fetched.status == 2 && fetched.text == "" && !fetched.errors.isEmpty)
            #expect(drawn.status == 2 && drawn.text == "")
            #expect(validated.output.count < 100_000, "the message is as long as the file")
        }

        @Test(arguments: ["fetch friends", "graph", "serve --port 0", "remove friends", "clear friends"])
        func `a folder in place of the file ends with 2`(command: String) async throws {
            let folder = try WorkFolder()
            try folder.write("conf/readme.md", "")

            let ran = try await folder.start(command.split(separator: " ").map(String.init) + ["-c", "conf"]).ran()

            #expect(ran.status == 2)
            #expect(ran.errors.contains("cannot read `conf`: it is a folder"))
        }

        @Test func `control characters of a file do not reach the terminal`() async throws {
            let folder = try WorkFolder("sources:\n  a: { type: \"\\e[31mred\\a\" }\npipelines:\n  \"\\e]0;title\\a\": { tiers: [a] }\n")

            for command in [["validate"], ["graph"], ["fetch", "\u{1B}[31mx"], ["fetch", "a", "\u{1B}[31mx"]] {
                let ran = try await folder.start(command).ran()
                #expect(!ran.everything.contains("\u{1B}"), "\(command)")
                #expect(!ran.everything.contains("\u{7}"), "\(command)")
            }
        }
    }
}
