internal import Pipeline
internal import PipelineConfig
internal import PipelineScenarios
internal import PipelineYAML
private import Synchronization

/// Values for the variables that a configuration needs, each of a form that the fields take where it stands.
struct StarterVariables {
    private(set) var values: [(name: String, value: String)] = []

    /// What a variable mostly stands for: text, an address, a number, a duration, a size, a switch.
    private static let samples = ["example", "http://example.org", "1", "1s", "1MiB", "true"]

    /// What is wrong with the configuration while some variables have values.
    private struct Finding {
        /// How many variables are reported as not set: of one text, only the first is.
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
