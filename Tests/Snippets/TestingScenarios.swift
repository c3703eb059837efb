import PipelineScenarios
import SourcesFile
import SourcesHTTP
import SourcesMemory

// The Swift of docs/testing.md, which shows it line by line.

func scenarioFailures() async -> [String] {
    let failures = await ScenarioTests.failures(in: "pipelines/pipeline.test.yaml", plugins: [.memory, .file, .http])
    return failures
}
