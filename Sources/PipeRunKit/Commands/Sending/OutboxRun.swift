internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineSending
internal import PipelineServer
private import Synchronization

/// One `outbox` command.
final class OutboxRun: Sendable {
    private let outboxes: ChosenOutboxes
    private let printed: PrintedSends
    private let mustDeliver = Mutex(false)

    init(outboxes: ChosenOutboxes, printed: PrintedSends) {
        (self.outboxes, self.printed) = (outboxes, printed)
    }

    private var pipelines: Pipelines { outboxes.pipelines }

    /// Indicates whether sends were put back that wait now.
    var leavesSends: Bool { mustDeliver.withLock(\.self) }

    /// Lists the sends in these states. Gives the exit code, nil if all went well.
    func list(_ states: Set<SendState>) async -> ExitCode? {
        var status: ExitCode?
        for name in outboxes.names {
            do throws(SendError) {
                let sends = try await pipelines.sends(states, in: name).flatMap(\.sends)
                await printed.show(sends, of: name, among: pipelines)
            } catch {
                say("`\(name)`: \(error.cause)")
                status = ExitStatus.no
            }
        }
        return status
    }

    /// Lists the sends of these ids, whatever their state.
    func list(_ ids: [String]) async -> ExitCode? {
        var status: ExitCode?
        var missing = Set(ids)
        for name in outboxes.names {
            do throws(SendError) {
                let sends = try await pipelines.sends(Set(SendState.allCases), in: name).flatMap(\.sends).filter { ids.contains($0.id) }
                missing.subtract(sends.map(\.id))
                if !sends.isEmpty { await printed.show(sends, of: name, among: pipelines) }
            } catch {
                say("`\(name)`: \(error.cause)")
                status = ExitStatus.no
            }
        }
        for id in ids where missing.contains(id) { say(SendError.unknownID(id).message) }
        return missing.isEmpty ? status : ExitStatus.no
    }

    /// Puts back, or gives up, all sends in a state.
    func change(allIn state: SendState, by action: OutboxAction) async -> ExitCode? {
        do throws(SendError) {
            var ids: [String] = []
            for name in outboxes.names { ids += try await pipelines.sends([state], in: name).flatMap(\.sends).map(\.id) }
            if ids.isEmpty { Console.say("no send is \(state.rawValue)") }
            return await change(ids, by: action)
        } catch {
            say(error.cause)
            return ExitStatus.no
        }
    }

    /// Puts back, or gives up, the sends of these ids.
    func change(_ ids: [String], by action: OutboxAction) async -> ExitCode? {
        var status: ExitCode?
        for id in ids {
            do {
                if let changed = try await change(id, by: action) { await printed.show(changed, among: pipelines) }
            } catch {
                say(words(for: error, id, action))
                status = ExitStatus.no
            }
            if Task.isCancelled { break }
        }
        return status
    }

    private func change(_ id: String, by action: OutboxAction) async throws -> SendStatus? {
        if action == .drop { return try await pipelines.drop(id) }
        try await pipelines.retry(id)
        mustDeliver.withLock { $0 = true }
        return outboxes.news.status(of: id)
    }

    private func words(for error: any Error, _ id: String, _ action: OutboxAction) -> String {
        guard let error = error as? SendError else { return "\(error)" }
        guard case .refused(let reason) = error else { return error.message }
        return "the send `\(id.shortened)` is not \(action == .drop ? "dropped" : "put back"): \(reason)"
    }

    /// Delivers until nothing waits, and prints what each send comes to. Gives the exit code, nil if nothing waits.
    func flush(within limit: Duration) async throws -> ExitCode? {
        async let printing: Void = printed.run(among: pipelines)
        defer { printed.end() }
        do {
            // All at once, and not one outbox after the other.
            try await pipelines.startSending()
            let left = try await pipelines.flushSends(within: limit)
            printed.end()
            await printing
            guard left > 0 else { return nil }
            Console.say("\(SendPrinter.count(left)) \(left == 1 ? "waits" : "wait") still", help: "`pipe-run outbox list` says why")
        } catch let error as SendError {
            say(error.cause)
        }
        return ExitStatus.no
    }

    private func say(_ message: String) { Console.say(pipelines.redactor.redacted(message).withLongWordsCut) }
}

/// Sends as `outbox` prints them.
struct PrintedSends: Sendable {
    private let format: ListFormat
    private let hasPayloads: Bool
    private let clock = PipelineClock.system
    /// The sends that have come to something, in the order in which that happened.
    private let ended: AsyncStream<SendStatus>
    private let continuation: AsyncStream<SendStatus>.Continuation

    init(format: ListFormat, hasPayloads: Bool) {
        (self.format, self.hasPayloads) = (format, hasPayloads)
        (ended, continuation) = AsyncStream.makeStream()
    }

    /// Takes the new state of a send, to be printed by ``run(among:)`` if it has come to something.
    func take(_ status: SendStatus) {
        // One that is sent is told of once more when the caches have what it changed.
        if status.state.isDone || status.state == .held, !status.row.isSettled { continuation.yield(status) }
    }

    /// Prints what is taken, until ``end()``.
    func run(among pipelines: Pipelines) async {
        for await status in ended { await show(status, among: pipelines) }
    }

    /// Nothing more is taken.
    func end() { continuation.finish() }

    /// Prints one send.
    func show(_ status: SendStatus, among pipelines: Pipelines) async {
        switch format {
        case .text: await write(SendPrinter(redactor: pipelines.redactor, now: clock.now).line(status) + "\n")
        case .json: await write(json(status, await pipelines.changes(inEnvelopeOf: status), pipelines.redactor) + "\n")
        }
    }

    /// Prints the sends of an outbox.
    func show(_ sends: [SendStatus], of outbox: String, among pipelines: Pipelines) async {
        switch format {
        case .text: await write(SendPrinter(redactor: pipelines.redactor, now: clock.now).list(sends, of: outbox))
        case .json: for send in sends { await show(send, among: pipelines) }
        }
    }

    private func json(_ status: SendStatus, _ changes: [SendEnvelope.Change], _ redactor: Redactor) -> String {
        let envelope = SendEnvelope(status, changes: changes, at: clock.now, redactor: redactor)
        return hasPayloads ? envelope.lineWithPayload : envelope.line
    }

    private func write(_ text: String) async {
        _ = await Console.output.stream(Array((format == .text ? Console.shown(text) : text).utf8))
    }
}
