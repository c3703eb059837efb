import Pipeline
import PipelineConfig
import PipelineYAML
import Testing

/// `# pipe-run: allow CODE reason`.
@Suite struct AllowCommentTests {
    /// A pipeline in which the ttl of memory gives P302, its jitterless soft timeout nothing else.
    private static func text(above: String = "", behind: String = "", below: String = "") -> String {
        """
        sources:
          memory: { type: memory }
          disk: { type: file, path: friends.json }
          api: { type: http, url: http://127.0.0.1:8787/friends }
        pipelines:
          friends:
            tiers:
        \(above)      - { source: memory, ttl: 1h }\(behind)
        \(below)      - { source: disk, ttl: 10m }
              - api

        """
    }

    @Test func `without a comment there is a warning`() {
        #expect(Reading.report(Self.text()).codes == ["P302"])
    }

    @Test(arguments: [
        "      # pipe-run: allow P302 rewritten by hand\n", "# pipe-run: allow P302\n", "  # pipe-run:allow p302\n",
        "      #pipe-run: allow P302: rewritten\n",
        "      # pipe-run: allow P302 first\n      # and why\n", "      # pipe-run: allow P302 \n      # pipe-run: allow P302 again\n",
    ]) func `a comment above allows the line below`(_ comment: String) {
        let codes = Reading.report(Self.text(above: comment)).codes

        #expect(codes == [])
    }

    @Test(arguments: [" # pipe-run: allow P302 rewritten by hand", "\t#  pipe-run: allow P302", " # pipe-run: allow P302,"])
    func `a comment behind a value allows its own line`(_ comment: String) {
        #expect(Reading.report(Self.text(behind: comment)).codes == [])
    }

    @Test(arguments: [
        "      # pipe-run: allow P302\n\n", "      # pipe-run: allow P310\n", "      # Pipe-run: allow P302\n",
        "      # see pipe-run: allow P302\n", "      # # pipe-run: allow P302\n",
    ]) func `a comment elsewhere, about something else or for people allows nothing`(_ comment: String) {
        #expect(Reading.report(Self.text(above: comment)).codes.contains("P302"))
    }

    @Test func `a comment below a line, or behind the line above, does not speak of it`() {
        #expect(Reading.report(Self.text(below: "      # pipe-run: allow P302\n")).codes == ["P302", "P901"])
        #expect(Reading.report(Self.text(above: "      # x\n", below: "")).codes == ["P302"])
        #expect(Reading.report(Self.text().replacing("    tiers:", with: "    tiers: # pipe-run: allow P302")).codes == ["P901", "P302"])
    }

    @Test(arguments: ["P302, P310", "P302 P310", "P310,P302", "P310 , P302 because P308 is not"])
    func `one comment allows several codes`(_ codes: String) {
        let text = Self.text(behind: " # pipe-run: allow \(codes)").replacing("ttl: 1h }", with: "ttl: 1h, max_delay: 1s }")

        #expect(Reading.report(text).codes == [])
    }

    @Test(arguments: ["\r\n", "\n", "\r"]) func `every line end will do`(_ end: String) {
        let text = Self.text(above: "      # pipe-run: allow P302 because\n").replacing("\n", with: end)

        #expect(Reading.report("\u{FEFF}" + text).codes == [])
    }

    @Test(arguments: [
        "description: \"a # pipe-run: allow P201 b\"", "description: 'a # pipe-run: allow P201 b'",
        "description: \"a\n      # pipe-run: allow P201 b\"", "description: |\n      # pipe-run: allow P201 b",
        "description: >-\n      a\n      # pipe-run: allow P201 b\n", "description: &d |\n      # pipe-run: allow P201 b",
        "description: a#pipe-run:allow", "\"description\": \"x\"", "description: 'it''s # pipe-run: allow P201'",
    ]) func `what stands in a text is no comment`(_ description: String) {
        let text = Self.text().replacing("ttl: 1h", with: "ttl: 5m").replacing("    tiers:", with: "    \(description)\n    tiers:")

        #expect(Reading.report(text).codes == [])
    }

    @Test func `a comment stands after the mark of a block, and behind quotes`() {
        let block = "description: | # pipe-run: allow P201 b\n      text\n"
        let quoted = "description: \"# no\" # pipe-run: allow P201 b"

        for description in [block, quoted] {
            let text = Self.text().replacing("ttl: 1h", with: "ttl: 5m").replacing("    tiers:", with: "    \(description)\n    tiers:")
            #expect(Reading.report(text).codes == ["P901"])
        }
    }

    @Test func `a comment that nothing needs is reported at the code, in the words of the file`() throws {
        let marked = MarkedText(
            Self.text(above: "      # pipe-run: allow P302 because, 1️⃣P3102️⃣\n").replacing("because, ", with: ""))

        let report = Reading.report(marked.text)

        #expect(report.summary == ["P901 nothing here needs `P310` to be allowed"])
        #expect(report.diagnostics.first?.range == marked["1️⃣", "2️⃣"])
    }

    @Test func `while there are errors nothing is said of needless comments`() {
        let text = Self.text(above: "      # pipe-run: allow P310 P999 b\n").replacing("- api", with: "- apo")

        #expect(Reading.report(text).codes == ["P901", "P302", "P201"])
        #expect(Reading.report(text).summary.first == "P901 there is no code `P999`")
    }

    @Test func `errors are not allowed`() {
        let text = Self.text(above: "", below: "").replacing("- api", with: "- apo # pipe-run: allow P201").replacing("1h", with: "1m")

        let report = Reading.report(text)

        #expect(Set(report.codes) == ["P901", "P201"])
        #expect(report.summary.contains("P901 `P201` is an error, and only warnings can be allowed"))
    }

    @Test(arguments: [(ValidationLevel.syntax, [String]()), (.schema, []), (.graph, ["P901"]), (.env, ["P901"])])
    func `a comment is judged by what every level finds`(_ level: ValidationLevel, _ expected: [String]) {
        let needed = Self.text(above: "      # pipe-run: allow P302\n")
        let needless = Self.text(below: "      # pipe-run: allow P302\n").replacing("1h", with: "1m")

        #expect(Reading.report(needed, level: level).codes == [])
        #expect(Reading.report(needless, level: level).codes == expected)
    }

    @Test func `many comments and many texts take no longer than the file does`() {
        let comments = String(repeating: "      # pipe-run: allow P302\n", count: 20_000)
        let texts = "    colour: [" + String(repeating: "\" # pipe-run: allow\",", count: 20_000) + "]\n"

        // A quadratic scan of either would take minutes.
        #expect(Reading.report(Self.text(above: comments)).codes == [])
        #expect(Set(Reading.report(Self.text() + texts).codes) == ["P101", "P302"])
    }
}
