internal import Pipeline
internal import PipelineConfig
internal import PipelineReports
internal import PipelineSending
internal import PipelineServer

/// Sends as lines for people. Payloads are not in them.
struct SendPrinter {
    /// The redactor: an argument may be a secret.
    let redactor: Redactor
    /// When they are printed, for ages.
    let now: Timestamp

    /// `add_friend user=42: waiting, status 503, 2 tries, again in 4s, id 0190…`
    ///
    /// - Parameter wasKnown: whether its id was known when it was to be taken in.
    func line(_ status: SendStatus, wasKnown: Bool = false) -> String {
        let parts = [status.state.rawValue] + remarks(status, most: 200) + (wasKnown ? ["taken in before"] : [])
        let words = redactor.redacted("\(call(status)): \(parts.joined(separator: ", "))").printable.withLongWordsCut
        return words + ", id \(status.id.printable)"
    }

    /// The sends of an outbox: its name, and below it a line for each.
    func list(_ sends: [SendStatus], of outbox: String) -> String {
        let name = outbox.printable
        if sends.isEmpty { return "\(name): nothing\n" }
        return "\(name): \(Self.count(sends.count))\n" + TextTable.text(sends.map(row), indented: "  ")
    }

    /// `1 send`, `2 sends`.
    static func count(_ count: Int) -> String { "\(count) send\(count == 1 ? "" : "s")" }

    private func row(_ status: SendStatus) -> [String] {
        let remarks = remarks(status, most: 80).joined(separator: ", ")
        let age = max(.zero, now.duration(since: status.row.taken))
        let words = [call(status), "age \(TracePrinter.words(age))", remarks.isEmpty ? "-" : remarks]
        return ["\(status.number)", status.state.rawValue] + words.map { redactor.redacted($0).printable.withLongWordsCut }
            + [status.id.printable]
    }

    /// `add_friend user=42`
    private func call(_ status: SendStatus) -> String {
        let key = Key(pipeline: status.send, parameters: status.arguments)
        return key.pipeline + key.parameters.map { " \($0.name)=\(redactor.redacted($0.value))" }.joined()
    }

    /// The reason, with up to `most` bytes of the origin's words for a failure, the tries, and the time to the next one.
    private func remarks(_ status: SendStatus, most: Int) -> [String] {
        let detail = status.state == .failed ? status.detail.flatMap { redactor.redacted($0).excerpt(ofBytes: most) } : nil
        let reason = status.reason.map { $0 + (detail.map { ": \($0)" } ?? "") }
        let tries = status.tries == 0 ? nil : "\(status.tries) \(status.tries == 1 ? "try" : "tries")"
        let next = status.state == .waiting ? status.next.flatMap { $0 > now ? $0.duration(since: now) : nil } : nil
        return [reason, tries, next.map { "again in \(TracePrinter.words($0))" }].compactMap(\.self)
    }
}

/// Sends as `outbox` prints them.
struct PrintedSends: Sendable {
    let format: ListFormat
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
        if status.state.isOver, !status.row.isSettled { continuation.yield(status) }
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
        case .json:
            let envelope = await pipelines.envelope(of: status)
            await write((hasPayloads ? envelope.lineWithPayload : envelope.line) + "\n")
        }
    }

    /// Prints the sends of an outbox.
    func show(_ sends: [SendStatus], of outbox: String, among pipelines: Pipelines) async {
        switch format {
        case .text: await write(SendPrinter(redactor: pipelines.redactor, now: clock.now).list(sends, of: outbox))
        case .json: for send in sends { await show(send, among: pipelines) }
        }
    }

    private func write(_ text: String) async {
        _ = await Console.output.stream(Array((format == .text ? Console.shown(text) : text).utf8))
    }
}
