internal import Pipeline
internal import PipelineConfig
internal import PipelineScenarios
internal import PipelineYAML
private import Synchronization

/// Values for the variables that a configuration needs, by which it has as few errors as possible.
struct StarterVariables {
    private(set) var values: [(name: String, value: String)] = []

    /// What a variable mostly stands for: text, an address, a number, a duration, a size, a switch.
    private static let samples = ["example", "http://example.org", "1", "1s", "1MiB", "true"]

    init(_ config: ConfigFile, plugins: [SourcePlugin]) {
        let asked = Mutex<[String]>([])
        func errors(with values: [(name: String, value: String)]) -> Int {
            let known = Dictionary(values.map { ($0.name, $0.value) }) { first, _ in first }
            let files = ScenarioSuite.environment([:])
            let environment = ConfigEnvironment(
                variable: { name in
                    asked.withLock { if !$0.contains(name) { $0.append(name) } }
                    return known[name]
                }, file: files.file, problem: files.problem)
            return config.report(plugins: plugins, environment: environment).diagnostics.count { $0.severity == .error }
        }
        var least = errors(with: [])
        for name in asked.withLock({ $0 }) where least > 0 {
            guard let sample = Self.samples.first(where: { errors(with: values + [(name, $0)]) < least }) else { continue }
            values.append((name, sample))
            least = errors(with: values)
        }
    }
}
