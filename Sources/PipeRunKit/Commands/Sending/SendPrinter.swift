internal import Pipeline
internal import PipelineConfig
internal import PipelineReports
internal import PipelineSending

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
        let detail = status.state == .failed ? status.detail?.excerpt(ofBytes: 200) : nil
        let parts = [status.state.rawValue] + remarks(status, detail: detail) + (wasKnown ? ["taken in before"] : [])
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
        let remarks = remarks(status).joined(separator: ", ")
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

    /// The reason, the tries, and the time to the next one.
    private func remarks(_ status: SendStatus, detail: String? = nil) -> [String] {
        let reason = status.reason.map { $0 + (detail.map { ": \($0)" } ?? "") }
        let tries = status.tries == 0 ? nil : "\(status.tries) \(status.tries == 1 ? "try" : "tries")"
        let next = status.state == .waiting ? status.next.flatMap { $0 > now ? $0.duration(since: now) : nil } : nil
        return [reason, tries, next.map { "again in \(TracePrinter.words($0))" }].compactMap(\.self)
    }
}
