import PipelineConfig
import PipelineScenarios
import PipelineYAML

/// A test file as a text, beside a configuration of the folder `Scenarios`.
enum Written {
    static func suite(_ text: String, config: String = "policies.yaml", isForCI: Bool = false) -> ScenarioSuite {
        ScenarioSuite(
            ConfigFile(text: Array(text.utf8), name: "pipeline.test.yaml"), config: Tested.folder + config, plugins: Tested.plugins,
            isForCI: isForCI)
    }

    /// The code and the words of each problem.
    static func problems(_ text: String, config: String = "policies.yaml", isForCI: Bool = false) -> [String] {
        suite(text, config: config, isForCI: isForCI).diagnostics.map { problem in
            "\(problem.range.start.line):\(problem.range.start.column) \(problem.code.rawValue) \(problem.message)"
                + (problem.help.map { "; \($0)" } ?? "")
        }
    }

    /// A file with one test of these steps.
    static func test(pipeline: String = "plain", given: String = "{ api: '[1]' }", _ steps: String) -> String {
        "tests:\n  - name: a test\n    pipeline: \(pipeline)\n    given: \(given)\n    steps: [\(steps)]\n"
    }

    static func play(_ text: String, seed: UInt64 = 1) async -> ScenarioOutcome? {
        let suite = suite(text)
        return await TestedSuite.play(suite.runs, of: suite, seeds: seed...seed).outcomes.first
    }
}
