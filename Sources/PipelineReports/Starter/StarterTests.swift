internal import Pipeline
package import PipelineConfig
internal import PipelineScenarios
package import PipelineYAML
private import Synchronization

/// The first test file of a configuration, made from its plan and tried on the engine: a test that would not pass is left out.
///
/// For each pipeline: what fills it, which copy answers and when it expires, and what a failure of the origin comes to.
package struct StarterTests {
    /// A first test with more events than these says little: it waits for long beside what asks often.
    private static let mostEvents = 1_000

    private let config: ConfigFile
    private let path: String
    private let plugins: [SourcePlugin]
    private let variables: [(name: String, value: String)]
    private let report: ConfigReport
    private var plan: Plan { report.plan }

    /// The errors that keep the configuration from being tested; none if it can be.
    package var errors: [Diagnostic] { report.diagnostics.filter { $0.severity == .error } }

    /// The places of secrets in the configuration.
    package var secretRanges: [TextRange] { report.secretRanges }

    /// Tests of `config` for a file at `path`; none may be made where there are ``errors``.
    package init(of config: ConfigFile, at path: String, plugins: [SourcePlugin]) {
        (self.config, self.path, self.plugins) = (config, path, plugins)
        variables = StarterVariables(config, plugins: plugins).values
        let known = Dictionary(variables.map { ($0.name, $0.value) }) { first, _ in first }
        report = config.report(plugins: plugins, environment: ScenarioSuite.environment(known))
    }

    /// The text of the file, and the pipelines that none of its tests is of; nil if no test could be written.
    package func text() async -> (text: String, untested: [String])? {
        var written: [String] = []
        var untested: [String] = []
        for pipeline in plan.pipelines {
            let before = written.count
            defer { if written.count == before { untested.append(pipeline.name) } }
            for drafts in StarterScenario.all(of: pipeline, madeOf: plan.made(of: [pipeline])) {
                // The first of several endings that is so.
                for draft in drafts {
                    guard let test = await tried(draft, of: pipeline) else { continue }
                    written.append(test.text(of: plan.pipelines.count > 1 ? pipeline.name : nil))
                    break
                }
            }
        }
        return written.isEmpty ? nil : (header + "tests:\n" + written.joined(separator: "\n"), untested)
    }

    /// The test with what the engine did as what is expected; nil if it is not what the test is about, or if it does not pass.
    private func tried(_ draft: StarterScenario, of pipeline: PipelinePlan) async -> StarterScenario? {
        guard let outcome = await played(draft, of: pipeline), outcome.hasPassed, let expected = draft.expecting(outcome.events) else {
            return nil
        }
        return await played(expected, of: pipeline)?.hasPassed == true ? expected : nil
    }

    private func played(_ draft: StarterScenario, of pipeline: PipelinePlan) async -> ScenarioOutcome? {
        let text = header + "tests:\n" + draft.text(of: plan.pipelines.count > 1 ? pipeline.name : nil)
        let file = ConfigFile(text: Array(text.utf8), name: path, folder: path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "")
        let suite = ScenarioSuite(file, config: config.name, plugins: plugins)
        return await TestedSuite.play(suite.runs, of: suite, seeds: 1...1, atMost: Self.mostEvents).outcomes.first
    }

    private var header: String {
        var lines = [
            "# What the pipelines do, in virtual time and without a network: `pipe-run test` runs this file.",
            "# Each test passed when the file was written. Change a time or an order in the configuration, and see what they say.",
            "# Editors complete and check it by the schema that `pipe-run schema --tests > tests.schema.json` writes next to it.",
            "# yaml-language-server: $schema=./tests.schema.json",
        ]
        if ScenarioSuite.configPath(of: path) != config.name {
            let name = config.name.hasPrefix("/") ? config.name : config.name.split(separator: "/").last.map(String.init) ?? config.name
            lines.append("config: \(StarterScenario.word(name))")
        }
        if !variables.isEmpty {
            lines.append("# All the environment that the configuration has while it is tested.")
            lines.append("environment:")
            lines += variables.map { "  \($0.name): \(StarterScenario.word($0.value))" }
        }
        return lines.map { $0 + "\n" }.joined()
    }
}

/// Values for the variables that a configuration needs, each of a form that the fields take where it stands.
struct StarterVariables {
    private(set) var values: [(name: String, value: String)] = []

    /// A value of each kind that a variable mostly stands for: text, an address, a number, a duration, a size, a switch.
    private static let samples = ["example", "http://example.org", "1", "1s", "1MiB", "true"]

    /// The problems of the configuration while some variables have values.
    private struct Finding {
        /// The number of variables that are reported as not set: of one text, only the first is.
        let unset: Int
        let others: Int
        /// The variables that were looked for, in the order of the file.
        let asked: [String]
    }

    init(_ config: ConfigFile, plugins: [SourcePlugin]) {
        var found = Self.look(at: config, plugins, with: [])
        var index = 0
        while index < found.asked.count, found.unset > 0 {
            let value = (name: found.asked[index], value: Self.samples[0])
            index += 1
            let after = Self.look(at: config, plugins, with: values + [value])
            // One that has a default needs no value.
            guard after.unset < found.unset || after.asked.count > found.asked.count else { continue }
            values.append(value)
            found = after
        }
        // Each in the form that its fields take, with the others in place: a text may hold several.
        for index in values.indices where found.others > 0 {
            for sample in Self.samples {
                var trial = values
                trial[index].value = sample
                let after = Self.look(at: config, plugins, with: trial)
                if after.others < found.others { (values, found) = (trial, after) }
            }
        }
    }

    private static func look(at config: ConfigFile, _ plugins: [SourcePlugin], with values: [(name: String, value: String)]) -> Finding {
        let asked = Mutex<[String]>([])
        let known = Dictionary(values.map { ($0.name, $0.value) }) { first, _ in first }
        let files = ScenarioSuite.environment([:])
        let environment = ConfigEnvironment(
            variable: { name in
                asked.withLock { if !$0.contains(name) { $0.append(name) } }
                return known[name]
            }, file: files.file, problem: files.problem)
        let errors = config.report(plugins: plugins, environment: environment).diagnostics.filter { $0.severity == .error }
        let unset = errors.count { $0.code == .variableNotSet }
        return Finding(unset: unset, others: errors.count - unset, asked: asked.withLock(\.self))
    }
}
