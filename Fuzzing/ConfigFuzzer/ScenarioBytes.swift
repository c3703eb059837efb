import PipelineConfig
import PipelineScenarios
import PipelineSimulation
import PipelineYAML
internal import SourcesFile
internal import SourcesMemory

/// Bytes as a test file, or as the model of a simulation.
enum ScenarioBytes {
    private static let config = "Fuzzing/tested.yaml"
    private static let plugins: [SourcePlugin] = [.memory, .file]

    static func checkTests(_ bytes: [UInt8]) {
        Effort.check(bytes) { text in
            let file = ConfigFile(text: text, name: "fuzz.test.yaml", folder: "Fuzzing")
            let suite = ScenarioSuite(file, config: config, plugins: plugins)
            require(suite.report?.diagnostics.hasErrors == false, "\(config) has errors")
        }
    }

    static func checkModel(_ bytes: [UInt8]) {
        let plan = ConfigFile(path: config).report(plugins: plugins, environment: ConfigEnvironment([:])).plan
        Effort.check(bytes) { text in
            let file = ConfigFile(text: text, name: "fuzz.sim.yaml", folder: "Fuzzing")
            _ = SimulationModel.read(file, known: plan.sources.map(\.name), sources: plan.sources)
        }
    }
}
