internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineSending
internal import PipelineServer
private import Synchronization

/// One `send`: takes the send in, follows it, and prints what it comes to.
final class SendRun: Sendable {
    private struct State {
        /// The send once it was taken in.
        var taken: SentSend?
        var isPrinted = false
        var leavesSends = false
    }

    private let name: String
    private let arguments: [String: String]
    private let payload: [UInt8]
    private let id: String?
    private let priority: Priority?
    private let outbox: String
    private let pipelines: Pipelines
    private let patience: Duration
    private let mustBeSent: Bool
    private let output: FetchOutput
    private let news: SendNews
    private let clock = PipelineClock.system
    private let state = Mutex(State())

    /// - Parameters:
    ///   - id: the id of the caller; nil for a new one.
    ///   - outbox: the name of the outbox that has the send.
    ///   - patience: how long the send is followed.
    ///   - mustBeSent: whether it is a failure if the send is not sent by then.
    init(
        name: String, arguments: [String: String], payload: [UInt8], id: String?, priority: Priority?, outbox: String,
        pipelines: Pipelines, patience: Duration, mustBeSent: Bool, output: FetchOutput, news: SendNews
    ) {
        (self.name, self.arguments, self.payload, self.id, self.priority) = (name, arguments, payload, id, priority)
        (self.outbox, self.pipelines, self.patience, self.mustBeSent) = (outbox, pipelines, patience, mustBeSent)
        (self.output, self.news) = (output, news)
    }

    /// Indicates whether sends of the outbox wait when this one is not followed any more.
    var leavesSends: Bool { state.withLock(\.leavesSends) }

    /// Indicates whether the send has come to something, and that is printed.
    var hasOutcome: Bool { status.map { $0.state.isOver } ?? false }

    /// The send as it is now; nil before it is taken in.
    private var status: SendStatus? {
        state.withLock(\.taken).map { news.status(of: $0.id) ?? $0.first }
    }

    /// Takes the send in and follows it, until it comes to something or patience ends. Gives the exit code of a refusal.
    func run() async throws -> ExitCode? {
        do {
            let taken = try await pipelines.send(name, arguments, payload, id: id, priority: priority)
            news.note(taken.first)
            state.withLock { $0.taken = taken }
            try await follow(taken)
        } catch let error as SendError {
            await refuse(error)
            return ExitStatus.no
        }
        if hasOutcome { await printStatus() }
        let waiting = await pipelines.waitingSends(in: outbox)
        state.withLock { $0.leavesSends = !waiting.isEmpty }
        // Its target may rest since it was heard of.
        if status?.state == .waiting, let own = waiting.first(where: { $0.id == status?.id }) { news.note(own) }
        return nil
    }

    /// Prints what the send has come to by now, unless that is printed. Gives the exit code, nil if all went well or nothing was taken in.
    func finish() async -> ExitCode? {
        guard let status else { return nil }
        await printStatus()
        switch status.state {
        case .sent, .merged: return nil
        case .waiting, .sending: return mustBeSent ? ExitStatus.no : nil
        case .held, .failed, .dropped: return ExitStatus.no
        }
    }

    private func follow(_ taken: SentSend) async throws {
        try await clock.race(until: clock.now + patience, late: {}) { [news] in
            for await status in taken.statuses {
                news.note(status)
                if status.state.isOver { return }
            }
        }
    }

    private func refuse(_ error: SendError) async {
        if output == .envelope {
            let envelope = SendEnvelope(refused: error.cause, name, arguments, at: clock.now, redactor: pipelines.redactor)
            _ = await Console.output.stream(Array((envelope.line + "\n").utf8))
        }
        let message = if case .refused(let refusal) = error { "not taken in: \(refusal.reason)" } else { error.message }
        Console.say(pipelines.redactor.redacted(message).withLongWordsCut)
    }

    private func printStatus() async {
        let taken = state.withLock { state -> SentSend? in
            defer { state.isPrinted = true }
            return state.isPrinted ? nil : state.taken
        }
        guard let taken, let status else { return }
        switch output {
        case .raw: await printAnswer(of: status)
        case .envelope:
            _ = await Console.output.stream(Array((await pipelines.envelope(of: status).line + "\n").utf8))
        }
        let printer = SendPrinter(redactor: pipelines.redactor, now: clock.now)
        _ = await Console.error.stream(Console.shown(printer.line(status, wasKnown: taken.wasKnown) + "\n"))
    }

    private func printAnswer(of status: SendStatus) async {
        guard status.state == .sent, !status.answer.isEmpty else { return }
        _ = await Console.output.stream(status.answer)
        if status.answer.last != UInt8(ascii: "\n"), Console.output.isTerminal { _ = await Console.output.stream("\n") }
    }
}

/// The newest state of each send of which something is told.
final class SendNews: Sendable {
    private let known = Mutex<[String: SendStatus]>([:])
    private let tell: @Sendable (SendStatus) -> Void

    /// - Parameter tell: called with each new state.
    init(_ tell: @escaping @Sendable (SendStatus) -> Void = { _ in }) {
        self.tell = tell
    }

    /// Takes an event; to be given to ``Pipelines``.
    var take: PipelineEvent.Observer {
        { [self] event in
            guard case .change(let event as SendEvent, _, _) = event else { return }
            note(event.status)
            tell(event.status)
        }
    }

    /// Notes what is known of a send.
    func note(_ status: SendStatus) {
        // What is told on another thread may come late.
        known.withLock { known in
            if known[status.id]?.state.isDone != true || status.state.isDone { known[status.id] = status }
        }
    }

    /// The newest state of the send of an id; nil if nothing was told of it.
    func status(of id: String) -> SendStatus? { known.withLock { $0[id] } }
}

extension Pipelines {
    /// The sends of `outbox` that wait or are being sent, as its database has it.
    func waitingSends(in outbox: String) async -> [SendStatus] {
        ((try? await sends([.waiting, .sending], in: outbox)) ?? []).flatMap(\.sends)
    }
}
