internal import Pipeline
public import PipelineConfig
internal import PipelineYAML

/// Scenario tests of a configuration, for `swift test`.
///
/// ```swift
/// @Test func scenarios() async {
///     #expect(await ScenarioTests.failures(in: "pipeline.test.yaml", plugins: [.memory, .file, .http]) == [])
/// }
/// ```
public enum ScenarioTests {
    /// Runs the tests of the file at `path`, in virtual time and without a network.
    ///
    /// A file without a test that runs is a failure, too.
    ///
    /// - Parameters:
    ///   - config: the configuration; nil for the one that the file names, or the one beside it.
    ///   - plugins: the types of the sources in the configuration.
    ///   - seed: decides what is random, such as jitter.
    /// - Returns: what failed, and what is wrong with the files, each with its place; empty when all tests passed. Secrets are masked.
    public static func failures(
        in path: String, config: String? = nil, plugins: [SourcePlugin], seed: UInt64 = 1
    ) async -> [String] {
        let suite = ScenarioSuite(ConfigFile(path: path), config: config, plugins: plugins)
        let problems = (suite.diagnostics + (suite.report?.diagnostics ?? [])).filter { $0.severity == .error }
        guard problems.isEmpty, suite.isUsable else {
            return problems.map { "\($0.file):\($0.range.start.line):\($0.range.start.column): \($0.code.rawValue): \($0.message)" }
        }
        let tested = await TestedSuite.play(suite.runs, of: suite, seeds: seed...seed)
        if tested.outcomes.isEmpty { return ["\(path): no test was found"] }
        return tested.outcomes.compactMap { outcome in
            outcome.failure.map { failure in
                let place = failure.range.start
                return "\(outcome.file):\(place.line):\(place.column): \(outcome.title): step \(failure.step) `\(failure.word)` at "
                    + "\(failure.time.spelling): \(failure.message)"
            }
        }
    }
}
