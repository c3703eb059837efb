internal import Pipeline
internal import PipelineConfig
internal import PipelineYAML

/// A running `serve`, asked as this program reads any page.
struct ServedMetrics {
    let url: String

    private static func file(_ method: String, _ path: String) -> String {
        """
        sources: { serve: { type: http, url: "${PIPE_RUN_SERVE}/-/\(path)", method: \(method), timeout: 10s } }
        pipelines: { serve: { format: text, tiers: [serve] } }
        """
    }

    /// The metrics as text. Exits with 64 for a URL that is none, and with 1 where nothing answers, or something else does.
    func text() async throws -> String {
        let (text, shown) = try await answer(to: "GET", "metrics", wanted: "metrics")
        // What every `serve` says of itself.
        guard text.contains("\npipe_run_build_info{") else {
            Console.say(
                "what answers at \(shown) is not `pipe-run serve`: its /-/metrics have no `pipe_run_build_info`",
                help: "name a running `pipe-run serve`, as in `--serve http://127.0.0.1:8080`")
            throw ExitStatus.no
        }
        return text
    }

    /// Ends its rests. Exits as ``text()`` does.
    func wake() async throws { _ = try await answer(to: "POST", "wake", wanted: "answer to --wake") }

    private func answer(to method: String, _ path: String, wanted: String) async throws -> (text: String, shown: String) {
        var base = url[...]
        while base.last == "/" { base.removeLast() }
        let report = ConfigFile(text: Array(Self.file(method, path).utf8), name: "--serve").report(
            plugins: PipeRun.plugins, environment: ConfigEnvironment(["PIPE_RUN_SERVE": String(base)]))
        guard !report.diagnostics.hasErrors else {
            throw Usage.failure("`\(url)` in `--serve` is not a URL that can be asked", help: "as in `--serve http://127.0.0.1:8080`")
        }
        let pipelines = try Pipelines(report)
        let outcome = try await pipelines.pipeline(named: "serve").fetch()
        await pipelines.shutDown()
        let shown = report.redactor.redacted(url)
        guard case .value(let entry) = outcome.result, let payload = entry.payload else {
            let reasons = outcome.attempts.compactMap(\.reason).joined(separator: "; ")
            Console.say(
                "no \(wanted) from \(shown): \(reasons.isEmpty ? "nothing is there" : reasons)",
                help: "name a running `pipe-run serve`, as in `--serve http://127.0.0.1:8080`")
            throw ExitStatus.no
        }
        return (String(decoding: payload, as: UTF8.self), shown)
    }
}
