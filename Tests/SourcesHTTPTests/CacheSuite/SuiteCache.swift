import NIOHTTP1
import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import SourcesHTTP
import SourcesMemory

@testable import PipelineServer

/// The cache under test: a pipeline `[memory, api]` behind what `serve` answers with, on a clock that stands still.
final class SuiteCache {
    private let mode: SuiteMode
    private let time: ManualClock
    private var running: RunningConfig?
    private var served: ServedPipelines?
    private var text = ""

    init(_ mode: SuiteMode, time: ManualClock) {
        self.mode = mode
        self.time = time
    }

    /// The answer to a client, byte by byte, where the file has this part. Another file takes over, and the copies stay.
    func answer(_ question: SuitePlay.Question, by part: SuiteFile.Part) async throws -> [UInt8] {
        let served = try pipelines(of: part)
        var headers = HTTPHeaders([("Host", "127.0.0.1")])
        for condition in question.conditions { headers.add(name: condition.name, value: condition.value) }
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: question.target, headers: headers)
        let request = try ClientRequest(head, hosts: HostRule(listeningOn: "127.0.0.1", allowing: []))
        let responder = PipelineResponder(served, version: "1", metrics: PrometheusRegistry())
        var reply = Reply(await responder.answer(to: request), to: request, since: time.now)
        reply.begin(closing: false, at: time.clock.wall(), made: time.now)
        var bytes: [UInt8] = []
        while let piece = reply.nextPiece() { bytes += piece }
        try await served.current.pipeline(named: part.name).finishRefreshes()
        return bytes
    }

    /// Ends the pipelines. Those that others took over from have a time limit for that, on the clock that stands still: it is moved on.
    func end() async {
        guard let pipelines = running?.pipelines else { return }
        await withTaskGroup(of: Bool.self) { [time] group in
            group.addTask {
                await pipelines.shutDown()
                return true
            }
            group.addTask {
                while !Task.isCancelled {
                    time.advance(by: .seconds(10))
                    await Task.yield()
                }
                return false
            }
            for await hasEnded in group where hasEnded { group.cancelAll() }
        }
    }

    private func pipelines(of part: SuiteFile.Part) throws -> ServedPipelines {
        let text = SuiteFile(mode: mode, parts: [part]).text
        if let served, text == self.text { return served }
        self.text = text
        let file = ConfigFile(text: Array(text.utf8), name: "suite.yaml")
        let plugins = [SourcePlugin.memory, .http]
        let environment = ConfigEnvironment([:])
        let report = file.report(plugins: plugins, environment: environment)
        let effective = EffectiveConfig(report, folder: file.folder, plugins: plugins, environment: environment)
        let next =
            try running?.succeeded(by: report, effective)
            ?? RunningConfig(report, effective, redactor: report.redactor, clock: time.clock)
        running = next
        let served = self.served ?? ServedPipelines(next.pipelines)
        served.replace(by: next.pipelines)
        self.served = served
        return served
    }
}
