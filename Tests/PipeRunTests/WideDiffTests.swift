import Testing

extension ComputingTests {
    /// What `--diff` shows of a line with very many secrets.
    @Suite struct WideDiffTests {
        @Test func `each of very many secrets on one line is masked`() async throws {
            let headers = (0..<4_000).map { "X-Token-\($0): value-\($0)-of-it" }.joined(separator: ", ")
            let folder = try WorkFolder(
                "sources:\n  a: { type: http, url: \"http://h\", headers: { \(headers) } }  \npipelines: { p: { tiers: [a] } }\n")

            let ran = try await folder.start(["fmt", "--diff", "pipeline.yaml"]).ran()

            let changed = ran.text.split(separator: "\n").filter { $0.hasPrefix("-  a:") || $0.hasPrefix("+  a:") }
            #expect(changed.count == 2 && changed.allSatisfy { $0.contains("X-Token-3999: ****") })
            #expect(!ran.everything.contains("-of-it"))
        }
    }
}
