internal import Pipeline
internal import PipelineConfig
internal import PipelineYAML

/// The metrics of a running `serve`, read as this program reads any page.
struct ServedMetrics {
    let url: String

    private static let file = """
        sources: { serve: { type: http, url: "${PIPE_RUN_SERVE}/-/metrics", timeout: 10s } }
        pipelines: { metrics: { format: text, tiers: [serve] } }
        """

    /// The metrics as text. Exits with 64 for a URL that is none, and with 1 where nothing answers, or something else does.
    func text() async throws -> String {
        var base = url[...]
        while base.last == "/" { base.removeLast() }
        let report = ConfigFile(text: Array(Self.file.utf8), name: "--serve").report(
            plugins: PipeRun.plugins, environment: ConfigEnvironment(["PIPE_RUN_SERVE": String(base)]))
        guard !report.diagnostics.hasErrors else {
            throw Usage.failure("`\(url)` in `--serve` is not a URL that can be asked", help: "as in `--serve http://127.0.0.1:8080`")
        }
        let pipelines = try Pipelines(report)
        let outcome = try await pipelines.pipeline(named: "metrics").fetch()
        await pipelines.shutDown()
        guard case .value(let entry) = outcome.result, let payload = entry.payload else {
            let reasons = outcome.attempts.compactMap(\.reason).joined(separator: "; ")
            Console.say(
                "no metrics from \(report.redactor.redacted(url)): \(reasons.isEmpty ? "nothing is there" : reasons)",
                help: "name a running `pipe-run serve`, as in `--serve http://127.0.0.1:8080`")
            throw ExitStatus.no
        }
        let text = String(decoding: payload, as: UTF8.self)
        // What every `serve` says of itself.
        guard text.contains("\npipe_run_build_info{") else {
            Console.say(
                "what answers at \(report.redactor.redacted(url)) is not `pipe-run serve`: its /-/metrics have no `pipe_run_build_info`",
                help: "name a running `pipe-run serve`, as in `--serve http://127.0.0.1:8080`")
            throw ExitStatus.no
        }
        return text
    }
}
