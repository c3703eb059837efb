import Logging
import Pipeline
import PipelineConfig
import PipelineServer
import PipelineYAML
import SourcesHTTP
import SourcesMemory

// The Swift of docs/observing.md, which shows it line by line.

func observedPipelines() throws -> Pipelines {
    let report = ConfigFile(path: "pipeline.yaml").report(plugins: [.memory, .http])
    let pipelines = try Pipelines(
        report,
        observers: [
            PipelineLog(Logger(label: "pipelines"), masking: report.redactor).observer,
            PipelineMetrics(plan: report.plan).observer,
            { event in
                if case .write(let record, let key) = event, record.outcome == .failed { print("\(key) \(record)") }
            },
        ])
    return pipelines
}
