import Testing

extension ComputingTests {
    /// Files that are small for what they ask for: each is understood or refused in linear time and bounded memory.
    ///
    /// The limits are the system's: a process that needs more than 300 MB gets none, and one that computes for more than half a minute ends,
    /// which is three times what any of these takes on a slow machine. What grows with the square of these files takes gigabytes or minutes.
    @Suite struct HostileFileTests {
        struct Sample: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let text: @Sendable () -> String
            /// What must be said; empty for a file without an error.
            let expected: [String]
            let formats: [String]

            /// - Parameter formats: those to print in; the text is printed by code of its own, all others alike.
            init(_ name: String, _ expected: [String] = [], in formats: [String] = ["text"], _ text: @escaping @Sendable () -> String) {
                testDescription = name
                self.expected = expected
                self.formats = formats
                self.text = text
            }
        }

        private static func repeated(_ count: Int, _ part: (Int) -> String) -> String { (0..<count).map(part).joined() }

        private static func url(_ url: String) -> String {
            "sources: { a: { type: http, url: \"http://h/\(url)\" } }\npipelines: { p: { tiers: [a] } }\n"
        }

        static let samples: [Sample] = [
            Sample("20,000 tiers in one pipeline") {
                "sources: { \(repeated(20_000) { "s\($0): { type: memory }, " })}\npipelines: { p: { tiers: [\(repeated(20_000) { "s\($0), " })] } }\n"
            },
            Sample("20,000 routes of write-backs") {
                "sources: { \(repeated(20_000) { "s\($0): { type: memory }, " })}\npipelines:\n  p:\n    tiers: [\(repeated(20_000) { "s\($0), " })]\n"
                    + "    write_back: { \(repeated(20_000) { "s\($0): [s\(($0 + 1) % 20_000)], " })}\n"
            },
            Sample("a chain of 500 merges", ["P106"], in: ["text", "sarif"]) {
                "sources:\n  s0: &a0 { type: nothing, x0: 1 }\n"
                    + repeated(499) { "  s\($0 + 1): &a\($0 + 1) { <<: *a\($0), x\($0 + 1): 1 }\n" }
                    + "pipelines: { p: { tiers: [s0] } }\n"
            },
            Sample("a chain of 1,000 merges", ["P003"]) {
                "sources:\n  s0: &a0 { type: nothing, x0: 1 }\n"
                    + repeated(999) { "  s\($0 + 1): &a\($0 + 1) { <<: *a\($0), x\($0 + 1): 1 }\n" }
                    + "pipelines: { p: { tiers: [s0] } }\n"
            },
            Sample("headers that merge each other's") {
                "sources:\n  s0: { type: http, url: \"http://h\", headers: &h0 { x0: \"1\" } }\n"
                    + repeated(599) {
                        "  s\($0 + 1): { type: http, url: \"http://h\", headers: &h\($0 + 1) { <<: *h\($0), x\($0 + 1): \"1\" } }\n"
                    }
                    + "pipelines: { p: { tiers: [\(repeated(600) { "s\($0), " })] } }\n"
            },
            Sample("40,000 parameters in a URL", ["P206"]) { url(String(repeating: "{a}", count: 40_000)) },
            Sample("800,000 parameters in a URL", ["P003"]) { url(String(repeating: "{a}", count: 800_000)) },
            Sample("80,000 variables in a URL", ["P401"], in: ["text", "sarif"]) { url(String(repeating: "${A}", count: 80_000)) },
            Sample("two million variables in a URL", ["P003"]) { url(String(repeating: "${A}", count: 2_000_000)) },
            Sample("40,000 variables with values") { url(String(repeating: "${HOME_DIRECTORY_OF_TESTS:-x}/", count: 40_000)) },
            Sample("40,000 credentials in a query", ["P309", "P003"]) { url("?" + String(repeating: "token=abc123&", count: 40_000)) },
            Sample("two million unclosed variables", ["P105"]) { url(String(repeating: "${", count: 2_000_000)) },
            Sample("two million dollars", ["P003"]) { url(String(repeating: "$$", count: 2_000_000)) },
            Sample("4,000 misspelt sources beside as many names", ["P201"]) {
                "sources:\n" + repeated(4_000) { "  source_name_number_\($0): { type: memory }\n" }
                    + "pipelines: { p: { tiers: [\(repeated(4_000) { "source_nmae_number_\($0), " })] } }\n"
            },
            Sample("60,000 unknown fields", ["P101"]) {
                "sources: { a: { type: memory, \(repeated(60_000) { "field\($0): 1, " })} }\npipelines: { p: { tiers: [a] } }\n"
            },
            Sample("260,000 tiers", ["P003"]) {
                "sources: { a: { type: memory } }\npipelines: { p: { tiers: [\(String(repeating: "a, ", count: 260_000))] } }\n"
            },
            Sample("40,000 pipelines") {
                "sources: { a: { type: memory }, b: { type: http, url: \"http://h\" } }\npipelines: { \(repeated(40_000) { "p\($0): { tiers: [a, b] }, " })}\n"
            },
            Sample("one source 200,000 times", ["P202"], in: ["text", "sarif"]) {
                "sources: { a: { type: memory } }\npipelines: { p: { tiers: [\(String(repeating: "a, ", count: 200_000))] } }\n"
            },
            Sample("one key of 15 MiB", ["P103"]) { "sources:\n  ? \"\(String(repeating: "k", count: 15 << 20))\"\n  : 1\n" },
            Sample("200,000 keys that are given twice", ["P002"]) { "{\(String(repeating: "a, ", count: 200_000))}" },
            Sample("10,000 aliases of a long text", ["P003"]) {
                "x: &x \"\(String(repeating: "y", count: 1 << 20))\"\nsources: { \(repeated(10_000) { "s\($0): { type: http, url: *x }, " })}\n"
            },
            Sample("260,000 headers", ["P003"]) {
                "sources: { a: { type: http, url: \"http://h\", headers: { \(repeated(260_000) { "x\($0): v\($0), " })} } }\npipelines: { p: { tiers: [a] } }\n"
            },
            Sample("200,000 comments", ["P102"]) { String(repeating: "# pipe-run: x\n", count: 200_000) },
            Sample("60,000 anchors on one line", ["P101"]) { "x: [\(repeated(60_000) { "&a\($0) 1, " })]" },
            Sample("60,000 tags on one line", ["P101"]) { "x: [\(String(repeating: "!!str a, ", count: 60_000))]" },
            Sample("no-break spaces behind a long indentation", ["P001"]) {
                "x: [\n\(String(repeating: " ", count: 200_000))\(String(repeating: "\u{A0}a,", count: 30_000))]"
            },
            Sample("9,000 unused parameters of a line of 1 MB", in: ["text", "junit", "sarif"]) {
                "sources: { a: { type: http, url: \"http://h\" } }\npipelines:\n  p:\n    tiers: [a]\n"
                    + "    parameters: [\(repeated(9_000) { "p\($0)\(String(repeating: "x", count: 100)), " })]\n"
            },
            Sample("200,000 codes in a comment") {
                "sources: { a: { type: memory } }\npipelines: { p: { tiers: [a] } } # pipe-run: allow \(String(repeating: "P302 ", count: 200_000))\n"
            },
            Sample("4 MB of a syntax error", ["P001"], in: ["text", "sarif"]) { String(repeating: "token: ", count: 600_000) },
        ]

        @Test(arguments: samples) func `is understood or refused within its limits`(_ sample: Sample) async throws {
            let folder = try WorkFolder(sample.text())

            for format in sample.formats {
                let limits = ["sh", "-c", "ulimit -d 307200 && ulimit -t 30 && exec \"$@\"", "sh"]
                let ran = try await PipeRunProcess(["validate", "--format", format], in: folder, under: limits).ran(within: 10 * patience)

                #expect(ran.status == (sample.expected.isEmpty ? 0 : 1), "\(ran.errors.suffix(500))")
                for code in sample.expected { #expect(ran.text.contains(code), "\(format): \(ran.text.prefix(500))") }
            }
        }
    }
}
