package import Pipeline
internal import PipelineJSON
package import PipelineSending

/// A send as one line of JSON.
package struct SendEnvelope {
    /// What a send does to one value.
    package struct Change: Sendable {
        private let key: Key
        private let operation: SendChange.Operation
        private let isShown: Bool

        /// - Parameter isShown: whether readers of the value see it at the moment.
        package init(_ operation: SendChange.Operation, of key: Key, isShown: Bool) {
            (self.operation, self.key, self.isShown) = (operation, key, isShown)
        }

        fileprivate func json(_ redactor: Redactor) -> JSONText {
            .object([
                ("pipeline", .string(key.pipeline)), ("parameters", Envelope.parameters(of: key, redactor)),
                ("op", .string(operation.rawValue)), ("shown", .bool(isShown)),
            ])
        }
    }

    /// The kind of the send and its arguments.
    private let call: Key
    /// The send; nil if it was not taken in.
    private let status: SendStatus?
    /// The reason why it was not taken in.
    private let refusal: String?
    private let changes: [Change]
    private let now: Timestamp
    private let redactor: Redactor
    /// Indicates whether reasons are left out, which may name origins.
    fileprivate var isBrief = false

    /// A send that was taken in.
    ///
    /// - Parameters:
    ///   - now: when it is printed, for the time to the next try.
    ///   - redactor: an argument may be a secret.
    package init(_ status: SendStatus, changes: [Change], at now: Timestamp, redactor: Redactor) {
        call = Key(pipeline: status.send, parameters: status.arguments)
        (self.status, refusal, self.changes, self.now, self.redactor) = (status, nil, changes, now, redactor)
    }

    /// A send that was not taken in, for this reason.
    package init(refused reason: String, _ name: String, _ arguments: [String: String], at now: Timestamp, redactor: Redactor) {
        call = Key(pipeline: name, parameters: arguments)
        (status, refusal, changes, self.now, self.redactor) = (nil, reason, [], now, redactor)
    }

    /// The reason why the send has failed, is held or was dropped, in the origin's words where it gave any; nil for another.
    var reason: String? { problem.map { redactor.redacted($0.message) } }

    /// The line.
    package var line: String { JSONText.object(members).text }

    /// The line with the payload: as `payload` if it is JSON, else as `payload_text`, or `payload_base64` if it is no text.
    package var lineWithPayload: String {
        JSONText.object(members + [Self.content(status?.payload ?? [], called: "payload")]).text
    }

    /// The members of the line.
    var members: [(String, JSONText)] {
        [
            ("send", .string(call.pipeline)),
            ("id", .optional(status?.id)),
            ("number", status.map { .number("\($0.number)") } ?? .null),
            ("parameters", Envelope.parameters(of: call, redactor)),
            ("state", .optional(status?.state.rawValue)),
            ("tries", .int(status?.tries ?? 0)),
            ("reason", .optional(isBrief ? nil : status?.reason.map { redactor.redacted($0) })),
            ("next_ms", next.map { .int(Int($0.milliseconds)) } ?? .null),
            ("temporary_id", .optional(status?.temporaryID)),
            ("changes", .array(changes.map { $0.json(redactor) })),
            ("answer", status.map(answer) ?? .null),
            ("error", error),
        ]
    }

    /// The time to the next try; nil if nothing but its turn holds it up.
    private var next: Duration? {
        guard let status, status.state == .waiting, let next = status.next else { return nil }
        return max(.zero, next.duration(since: now))
    }

    /// The last answer of the origin; null without one. Its body is kept of one that is sent.
    private func answer(_ status: SendStatus) -> JSONText {
        guard status.state == .sent || status.status != nil else { return .null }
        let isSent = status.state == .sent
        return .object([
            ("status", status.status.map { .int($0) } ?? .null),
            ("id", isSent ? status.row.madeID.map { .json($0) } ?? .null : .null),
            Self.content(isSent ? status.answer : [], called: "value"),
        ])
    }

    private var error: JSONText {
        guard let (code, message) = problem else { return .null }
        return .object([("code", .string(code)), ("message", .string(redactor.redacted(message)))])
    }

    private var problem: (code: String, message: String)? {
        guard let status else { return ("refused", refusal ?? "") }
        let brief: String
        switch status.state {
        case .failed: brief = "the send has failed"
        case .held: brief = "the send is held until a person decides"
        case .dropped: brief = "the send was dropped"
        case .waiting, .sending, .sent, .merged: return nil
        }
        let words = status.state == .failed ? status.detail : nil
        return (status.state.rawValue, isBrief ? brief : words ?? status.reason ?? status.state.rawValue)
    }

    /// A member with these bytes, named for how they are written; null for none.
    private static func content(_ bytes: [UInt8], called name: String) -> (String, JSONText) {
        if bytes.isEmpty { return (name, .null) }
        if JSONScanner.problem(of: bytes) == nil { return (name, .raw(JSONScanner.compacted(bytes))) }
        if let text = String(validating: bytes, as: UTF8.self) { return ("\(name)_text", .string(text)) }
        return ("\(name)_base64", .string(Base64.encoded(bytes)))
    }
}

extension Pipelines {
    /// The envelope of a send as it is now.
    ///
    /// - Parameter isBrief: whether reasons are left out, which may name origins.
    package func envelope(of status: SendStatus, isBrief: Bool = false) async -> SendEnvelope {
        let changes = await changes(of: status).map { SendEnvelope.Change($0.operation, of: $0.key, isShown: $0.isShown) }
        var envelope = SendEnvelope(status, changes: changes, at: commons.clock.now, redactor: redactor)
        envelope.isBrief = isBrief
        return envelope
    }
}
