internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineYAML

/// A running `serve`, asked as this program reads any page.
struct RunningServe {
    let url: String
    var timeout = Duration.seconds(10)

    private func file(_ method: String, _ path: String) -> String {
        """
        sources:
          serve: { type: http, url: "${PIPE_RUN_SERVE}/-/\(path)", method: \(method), timeout: \(timeout.spelling), follow_redirects: 0 }
        pipelines: { serve: { format: text, tiers: [serve] } }
        """
    }

    /// The metrics as text. Exits with 64 for a URL that is none, and with 1 where nothing answers, or something else does.
    func metrics() async throws -> String {
        let (answer, shown) = try await answer(to: "GET", "metrics")
        let text = try Self.found(answer, wanted: "metrics", at: shown)
        // What every `serve` says of itself.
        guard text.contains("\npipe_run_build_info{") else {
            Console.say(
                "what answers at \(shown) is not `pipe-run serve`: its /-/metrics have no `pipe_run_build_info`",
                help: "name a running `pipe-run serve`, as in `--serve http://127.0.0.1:8080`")
            throw ExitStatus.no
        }
        return text
    }

    /// Ends its rests. Exits as ``metrics()`` does.
    func wake() async throws {
        let (answer, shown) = try await answer(to: "POST", "wake")
        _ = try Self.found(answer, wanted: "answer to --wake", at: shown)
    }

    /// Returns if it takes requests. Exits with 64 for a URL that is none, and else with 1 and one line why.
    ///
    /// - Parameter isLive: whether it is enough that it answers at all.
    func check(isLive: Bool) async throws {
        let (answer, shown) = try await answer(to: "GET", isLive ? "health" : "ready")
        guard case .failure(let reason) = answer else { return }
        Console.say("`serve` at \(shown) is not \(isLive ? "alive" : "ready"): \(reason)")
        throw ExitStatus.no
    }

    private enum Answer {
        case text(String)
        case failure(String)
    }

    private static func found(_ answer: Answer, wanted: String, at shown: String) throws -> String {
        switch answer {
        case .text(let text): return text
        case .failure(let reason):
            Console.say(
                "no \(wanted) from \(shown): \(reason)", help: "name a running `pipe-run serve`, as in `--serve http://127.0.0.1:8080`")
            throw ExitStatus.no
        }
    }

    private func answer(to method: String, _ path: String) async throws -> (answer: Answer, shown: String) {
        var base = url[...]
        while base.last == "/" { base.removeLast() }
        let report = ConfigFile(text: Array(file(method, path).utf8), name: "--serve").report(
            plugins: Program.plugins, environment: ConfigEnvironment(["PIPE_RUN_SERVE": String(base)]))
        guard !report.diagnostics.hasErrors else {
            throw Usage.failure("`\(url)` in `--serve` is not a URL that can be asked", help: "as in `--serve http://127.0.0.1:8080`")
        }
        let pipelines = try Pipelines(report)
        let outcome = try await pipelines.pipeline(named: "serve").fetch()
        await pipelines.shutDown()
        let shown = report.redactor.redacted(url)
        guard case .value(let entry) = outcome.result, let payload = entry.payload else {
            let reasons = outcome.attempts.compactMap(\.reason).joined(separator: "; ")
            return (.failure(reasons.isEmpty ? "nothing is there" : reasons), shown)
        }
        return (.text(String(decoding: payload, as: UTF8.self)), shown)
    }
}

struct ReadyCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "ready", abstract: "Asks a running `serve` whether it takes requests.",
        discussion: """
            Exits with 0 if it does, and with 1 and the reason otherwise: not any more once `serve` was told to stop. With --live, asks \
            whether the process answers at all. It needs no shell and no other program, so that it can be the health check of a container.
            """)

    static var takesConfig: Bool { false }

    @Option(help: ArgumentHelp("The address of the running `serve`. Default: http://127.0.0.1:8080.", valueName: "url"))
    var serve = "http://127.0.0.1:8080"

    @Flag(help: "Ask whether it answers at all, also while it ends.") var live = false

    @Option(
        help: ArgumentHelp("How long it may take. Default: 2s.", valueName: "duration"), transform: DurationArgument.duration)
    var timeout: Duration?

    func perform() async throws {
        try await RunningServe(url: serve, timeout: timeout ?? .seconds(2)).check(isLive: live)
    }
}
