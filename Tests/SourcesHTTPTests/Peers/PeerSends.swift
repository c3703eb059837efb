import Pipeline
import PipelineConfig
import PipelineLive
import PipelineSending
import PipelineYAML
import SourcesHTTP
import SourcesMemory
import SourcesSQLite
import Synchronization
import TestSupport

/// Pipelines of a file whose sends go to a server of other authors, with an outbox in a folder of its own. Time is the machine's, for the
/// server's is: pauses are short, and no limit is.
struct PeerSends {
    let pipelines: Pipelines
    private let told: Told

    /// What was told of each send, by its id.
    private final class Told: Sendable {
        private let statuses = Mutex<[String: [SendStatus]]>([:])

        func take(_ event: PipelineEvent) {
            guard case .change(let event as SendEvent, _, _) = event else { return }
            statuses.withLock { $0[event.status.id, default: []].append(event.status) }
        }

        subscript(id: String) -> [SendStatus] { statuses.withLock { $0[id] ?? [] } }
    }

    /// Runs `body` with the pipelines of a file in which `outbox` stands for a source that keeps sends.
    static func run(_ text: String, _ body: (PeerSends) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let outbox = "sources:\n  outbox: { type: outbox, path: \"\(folder.path)/outbox.db\" }\n"
        let file = ConfigFile(text: Array(text.replacing("sources:\n", with: outbox, maxReplacements: 1).utf8), name: "peers.yaml")
        let report = file.report(plugins: [.memory, .http, .outbox], environment: ConfigEnvironment([:]))
        let told = Told()
        let pipelines = try Pipelines(report, observers: [told.take])
        let result = await Result { try await body(PeerSends(pipelines: pipelines, told: told)) }
        await pipelines.shutDown()
        try result.get()
    }

    /// What a send comes to: it is done then, or held.
    func come(_ name: String, _ arguments: [String: String] = [:], _ payload: String = "", id: String? = nil) async throws -> SendStatus {
        try await come(try await pipelines.send(name, arguments, Array(payload.utf8), id: id))
    }

    /// What a send that was taken in comes to.
    func come(_ sent: SentSend) async throws -> SendStatus {
        var last = sent.first
        for await status in sent.statuses {
            last = status
            if status.state.isDone || status.state == .held { break }
        }
        return last
    }

    /// The reasons for which a send has waited, each as often as it was tried for it.
    func waits(of status: SendStatus) -> [String] {
        var waits: [SendStatus] = []
        for told in told[status.id] where told.state == .waiting && told.reason != nil {
            // A process that was slow has lost its lease, and told once more how the send was before.
            if waits.last?.tries != told.tries || waits.last?.reason != told.reason { waits.append(told) }
        }
        return waits.compactMap(\.reason)
    }

    /// The value of a pipeline, and how many sends are laid over it.
    func shown(_ name: String, _ arguments: [String: String] = [:], _ policy: FetchPolicy = .default) async throws -> (String, Int) {
        let outcome = try await pipelines.pipeline(named: name).fetch(arguments, policy: policy)
        guard case .value(let entry) = outcome.result else { return (outcome.ending.rawValue, outcome.sends.count) }
        return (String(decoding: entry.payload ?? [], as: UTF8.self), outcome.sends.count)
    }
}
