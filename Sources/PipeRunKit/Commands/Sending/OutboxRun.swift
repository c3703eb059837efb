internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineSending
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

    /// Lists the sends in these states, only those of `ids` if some are given. Gives the exit code, nil if all went well.
    func list(_ states: Set<SendState>, only ids: [String]) async -> ExitCode? {
        var (missing, held) = (ids, 0)
        let status = await readOutboxes(states) { name, sends in
            let sends = sends.filter { ids.isEmpty || ids.contains($0.id) }
            missing.removeAll(where: Set(sends.map(\.id)).contains)
            held += sends.count { $0.state == .held }
            if ids.isEmpty || !sends.isEmpty { await printed.show(sends, of: name, among: pipelines) }
        }
        if held > 0, printed.format == .text {
            say(
                "note: \(SendPrinter.count(held)) \(held == 1 ? "is" : "are") held until a person decides",
                help: "`pipe-run outbox retry ID` sends it again, `pipe-run outbox drop ID` gives it up")
        }
        for id in missing { say(SendError.unknownID(id).message, help: help(forUnknown: id)) }
        return missing.isEmpty ? status : ExitStatus.no
    }

    /// Puts back, or gives up, all sends in a state.
    func change(allIn state: SendState, by action: OutboxAction) async -> ExitCode? {
        var ids: [String] = []
        let status = await readOutboxes([state]) { _, sends in ids += sends.map(\.id) }
        if ids.isEmpty, status == nil { Console.say("no send is \(state.rawValue)") }
        return await change(ids, by: action) ?? status
    }

    /// Calls `body` with the sends in these states of each outbox, and tells of each that cannot be read. Gives the exit code, nil if all can.
    private func readOutboxes(_ states: Set<SendState>, _ body: (_ name: String, [SendStatus]) async -> Void) async -> ExitCode? {
        var status: ExitCode?
        for name in outboxes.names {
            do throws(SendError) {
                let sends = try await pipelines.sends(states, in: name).flatMap(\.sends)
                await body(name, sends)
            } catch {
                say("`\(name)`: \(error.cause)")
                status = ExitStatus.no
            }
        }
        return status
    }

    /// Puts back, or gives up, the sends of these ids.
    func change(_ ids: [String], by action: OutboxAction) async -> ExitCode? {
        var status: ExitCode?
        for id in ids {
            do {
                if let changed = try await change(id, by: action) { await printed.show(changed, among: pipelines) }
            } catch {
                say(words(for: error, id, action), help: error as? SendError == .unknownID(id) ? help(forUnknown: id) : nil)
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

    /// The number in the first column of a list is no id.
    private func help(forUnknown id: String) -> String? {
        Int(id) == nil ? nil : "ids stand in the last column of `pipe-run outbox list`"
    }

    /// Delivers until nothing waits, and prints what each send comes to. Gives the exit code, nil if nothing waits.
    func flush(within limit: Duration) async throws -> ExitCode? {
        async let printing: Void = printed.run(among: pipelines)
        defer { printed.end() }
        do {
            // All at once, and not one outbox after the other. Of one that cannot be opened the delivery tells.
            try? await pipelines.startSending()
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

    private func say(_ message: String, help: String? = nil) {
        Console.say(pipelines.redactor.redacted(message).withLongWordsCut, help: help)
    }
}
