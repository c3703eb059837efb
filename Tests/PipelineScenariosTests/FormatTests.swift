import Foundation
import PipelineConfig
import PipelineReports
import PipelineYAML
import Testing

@testable import PipelineScenarios

/// Results for programs: `Formats/NAME.FORMAT` is what they are. `UPDATE_GOLDEN=1` rewrites them.
struct FormatTests {
    static let formats = ["json", "junit", "tap", "github"]

    private static func text(_ format: String, _ tested: [TestedSuite]) -> String {
        let report = ScenarioReport(tested)
        let text =
            switch format {
            case "json": report.json
            case "junit": report.junit
            case "tap": report.tap
            default: report.github
            }
        return text.replacing(Tested.folder, with: "")
    }

    /// The tests of a file of the folder `Formats`, each as if it took 0.8 ms.
    private static func tested(_ name: String) async -> TestedSuite {
        let text = ConfigFile(path: Tested.folder + "Formats/\(name).test.yaml").text
        let file = ConfigFile(text: text, name: "./conf/\(name).test.yaml")
        let suite = ScenarioSuite(file, config: Tested.folder + "secret.yaml", plugins: Tested.plugins)
        let tested = await Tested.play(suite)
        return TestedSuite(
            suite,
            outcomes: tested.outcomes.map {
                ScenarioOutcome(
                    file: $0.file, config: $0.config, name: $0.name, range: $0.range, order: $0.order, pipeline: $0.pipeline, seed: $0.seed,
                    tags: $0.tags, failure: $0.failure, events: $0.events, checks: $0.checks, elapsed: .microseconds(800),
                    virtual: $0.virtual, digest: $0.digest)
            })
    }

    @Test(arguments: formats) func `results are what the golden files say, also of a file that cannot be used`(_ format: String)
        async throws
    {
        let golden = URL(filePath: Tested.folder + "Formats/results.\(format)")

        let text = Self.text(format, [await Self.tested("formats"), await Self.tested("broken")])

        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" { try text.write(to: golden, atomically: true, encoding: .utf8) }
        #expect(try String(contentsOf: golden, encoding: .utf8) == text)
        #expect(!text.contains("s3cret"))
    }

    @Test(arguments: [
        ("json", "[]\n"), ("tap", "TAP version 14\n1..0 # no test was found\n"),
        ("github", "::error title=pipe-run test::no test was found\n"),
        (
            "junit",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="pipe-run test" tests="0" failures="0" errors="0" skipped="0" time="0.000000">
            </testsuites>

            """
        ),
    ]) func `no test is no success`(format: String, text: String) {
        #expect(Self.text(format, []) == text)
    }

    @Test func `json has a member for each of the contract, in its order, and what was expected`() async throws {
        let text = Self.text("json", [await Self.tested("formats")])
        let runs = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])

        let keys = ["file", "line", "name", "order", "outcome", "ms", "virtual_ms", "step", "expected", "actual", "trace", "digest"]
        #expect(runs.count == 4)
        for run in runs { #expect(Set(run.keys) == Set(keys)) }
        #expect(runs[0]["outcome"] as? String == "passed" && runs[0]["step"] is NSNull && runs[0]["virtual_ms"] as? Double == 9999)
        #expect(runs[1]["order"] as? String == "api-first" && runs[2]["order"] as? String == "cache-first")
        #expect(runs[3]["expected"] as? String == #"["v1"]"# && (runs[3]["actual"] as? String)?.contains("no answer within 30s") == true)
    }

    @Test func `runs with several seeds have names of their own`() async throws {
        let suite = Written.suite(Written.test("{ fetch: { from: api } }"))
        let tested = await Tested.play(suite, seeds: 1...2)

        #expect(Self.text("tap", [tested]).contains("ok 1 - a test, seed 1\nok 2 - a test, seed 2\n"))
    }

    @Test func `JUnit counts the cases that it has`() async throws {
        let text = Self.text("junit", [await Self.tested("formats"), await Self.tested("broken")])
        let counts = text.matches(of: #/<testcase /#).count

        #expect(
            text.hasPrefix(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pipe-run test\" tests=\"\(counts)\" failures=\"3\""))
    }
}
