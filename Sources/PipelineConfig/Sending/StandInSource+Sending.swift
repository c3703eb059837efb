internal import Pipeline
import PipelineSending

extension StandInSource: SendingSource {
    /// What it answers is that of a status 200; nothing is sent.
    func send(_ send: OutgoingSend, _ context: ReadContext) async throws -> SendAnswer {
        try await fail()
        guard case .source(let source) = answer, let entry = try await source.read(send.key, ReadContext(deadline: context.deadline)),
            let payload = entry.payload
        else { return SendAnswer(status: 404) }
        return SendAnswer(status: 200, body: payload, etag: entry.etag)
    }

    var repetition: SendRepetition { .always }
}

/// What takes the place of an outbox that lacks something: it keeps nothing, and says why.
final class StandInOutbox: OutboxSource {
    private let error: SourceError

    init(error: SourceError) { self.error = error }

    var bounds: OutboxBounds { OutboxBounds() }
    var holder: String { "" }

    func open() async throws -> OutboxNews { throw error }
    func takeIn(_ rows: [SendRow], lanes: [[String]]) async throws -> [TakenIn] { throw error }
    func write(_ rows: [SendRow]) async throws { throw error }
    func news(since mark: Int64) async throws -> OutboxNews { throw error }
    func row(_ id: String) async throws -> SendRow? { throw error }
    func rows(_ states: Set<SendState>, most: Int) async throws -> [SendRow] { throw error }
    func lease(_ holder: String, until end: Timestamp) async throws -> Bool { throw error }
    func release(_ holder: String) async {}
    func hasEnded(_ holder: String) async -> Bool { false }
    func forgetOld(at now: Timestamp) async throws { throw error }
    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }
}
