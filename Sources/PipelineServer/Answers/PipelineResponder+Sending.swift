internal import NIOHTTP1
internal import Pipeline
internal import PipelineJSON
import PipelineSending
private import Synchronization

// Requests that write, and the question what became of a send.
extension PipelineResponder {
    /// The reason why a request is not done.
    private struct Refusal: Error {
        let status: HTTPResponseStatus
        let detail: String
        let headers: HTTPHeaders

        init(_ status: HTTPResponseStatus, _ detail: String, headers: HTTPHeaders = [:]) {
            (self.status, self.detail, self.headers) = (status, detail, headers)
        }
    }

    /// A send as the head of a request asks for it.
    private struct Call {
        let pipelines: Pipelines
        let name: String
        let arguments: [String: String]
        let id: String?
        let format: PayloadFormat
        /// The most bytes of the payload.
        let most: Int
    }

    /// The most bytes of its body that are read before the request is answered; nil for one that is answered without its body: it writes
    /// nothing, it has none, or its head is refused.
    func mostBytesOfBody(of request: ClientRequest) -> Int? {
        guard request.isWrite, request.length != 0, ReservedPath(request.target) == nil else { return nil }
        return (try? call(for: request))?.most
    }

    /// 200 with the envelope of the send once it is sent, 202 while it waits or is held. One that has failed has the status of the origin
    /// if that is 4xx, else 502; one that was dropped has 409.
    ///
    /// Refuses with 400 what does not fit, 401 a client without the token, 403 a page of another origin, 404 what is no send, 405 another
    /// method, 413 and 415 a payload that is too large or of another type, 422 an id that another send has, 503 while the outbox cannot be
    /// used, and 507 while it is full. A client that leaves takes nothing back.
    func sent(for request: ClientRequest) async -> ServedAnswer {
        do {
            guard ReservedPath(request.target) == nil, let call = try call(for: request) else { return wrongMethod(request) }
            let payload = try payload(of: request, for: call)
            let priority = ClientPriority.of(request.headers)
            let taken = try await Self.uncancelled {
                try await call.pipelines.send(call.name, call.arguments, payload, id: call.id, priority: priority)
            }
            // It is on the disk.
            request.body?.release()
            let patience = Patience(request.headers)
            let status = await outcome(of: taken, patience, on: call.pipelines.commons.clock)
            let envelope = try await Self.uncancelled { [isBrief = detail == .brief] in
                await call.pipelines.envelope(of: status, isBrief: isBrief)
            }
            var answer = answer(status, envelope)
            if let applied = patience.applied { answer.headers.add(name: "Preference-Applied", value: applied) }
            return answer
        } catch {
            return refused(error)
        }
    }

    /// 200 with the envelope of the send of an id, 404 if there is none that clients may ask for, 401 and 403 as for a write.
    func status(ofSend id: String, for request: ClientRequest) async -> ServedAnswer {
        let (pipelines, sends) = served.taking
        do {
            try check(request, for: sends)
            let status = try await pipelines.send(ofID: id)
            guard sends.method(of: status.send) != nil else { throw SendError.unknownID(id) }
            return shown(.ok, await pipelines.envelope(of: status, isBrief: detail == .brief))
        } catch {
            return refused(error)
        }
    }

    /// The result of `work`, which does not end with its client.
    private static func uncancelled<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        // Ends with the work: a send that is being taken in, or what is seen of one.
        try await Task { try await work() }.value
    }

    /// A send as it is when it is over, or when the client's patience is.
    private func outcome(of taken: SentSend, _ patience: Patience, on clock: PipelineClock) async -> SendStatus {
        let latest = LatestStatus(taken.first)
        _ = try? await clock.race(until: clock.now + patience.limit, late: {}) {
            for await status in taken.statuses {
                latest.status.withLock { $0 = status }
                if status.state.isOver || patience.endsWithFirstTry && status.state == .waiting && status.tries > 0 { return }
            }
        }
        return latest.status.withLock(\.self)
    }
}

/// The state of a send that was seen last.
private final class LatestStatus: Sendable {
    let status: Mutex<SendStatus>

    init(_ status: SendStatus) { self.status = Mutex(status) }
}

// What a request says.
extension PipelineResponder {
    /// The send that a request asks for, by its head; nil for a pipeline, and where no sends are served. Throws why it is refused.
    private func call(for request: ClientRequest) throws -> Call? {
        let (pipelines, sends) = served.taking
        guard !sends.isEmpty else { return nil }
        let target = try RequestTarget(request.target)
        guard let method = sends.method(of: target.name) else {
            if (try? pipelines.pipeline(named: target.name)) != nil { return nil }
            // Which sends there are is for those who may write.
            try check(request, for: sends)
            throw SendError.unknownSend(target.name, known: sends.names)
        }
        try check(request, for: sends)
        guard method == request.method else { return nil }
        let (format, most) = try pipelines.payloads(of: target.name)
        if let length = request.length, length > 0 {
            if length > most { throw tooLarge(most) }
            try checkType(of: request, format)
        }
        return Call(
            pipelines: pipelines, name: target.name, arguments: try target.arguments(), id: try id(in: request.headers), format: format,
            most: most)
    }

    /// Throws unless the client may write.
    private func check(_ request: ClientRequest, for sends: ServedSends) throws(Refusal) {
        guard case .own = origins.verdict(on: request.headers) else {
            let fields = ["origin", "host"].map { "`\((request.headers.first(name: $0) ?? "").cut)`" }
            throw Refusal(
                .forbidden, "pages of other origins may not write: the page is of \(fields[0]), and asks for the host \(fields[1])")
        }
        guard sends.admits(request.headers) else {
            throw Refusal(
                .unauthorized, "a write needs `Authorization: Bearer` with the token of this server",
                headers: ["WWW-Authenticate": "Bearer"])
        }
    }

    private func payload(of request: ClientRequest, for call: Call) throws(Refusal) -> [UInt8] {
        guard let body = request.body else {
            if request.length == 0 { return [] }
            // Its head was refused, and is not any more.
            throw Refusal(.serviceUnavailable, "the configuration has changed meanwhile; try again", headers: ["Retry-After": "1"])
        }
        switch body.problem {
        case .tooLarge: throw tooLarge(call.most)
        case .noRoom:
            let words = "the bodies of other requests take all the room at the moment; try again"
            throw Refusal(.serviceUnavailable, words, headers: ["Retry-After": "1"])
        case nil: break
        }
        let payload = body.bytes
        if !payload.isEmpty { try checkType(of: request, call.format) }
        return payload
    }

    private func tooLarge(_ most: Int) -> Refusal { Refusal(.payloadTooLarge, "the payload is larger than \(Size(bytes: most).words)") }

    /// Throws for a body that cannot be a payload of this format.
    private func checkType(of request: ClientRequest, _ format: PayloadFormat) throws(Refusal) {
        guard request.headers[canonicalForm: "content-encoding"].allSatisfy({ $0.lowercased() == "identity" }) else {
            throw Refusal(.unsupportedMediaType, "a payload is not compressed", headers: ["Accept-Encoding": "identity"])
        }
        guard format == .json else { return }
        let types = request.headers["content-type"].map { $0.prefix { $0 != ";" }.filter { $0 != " " }.lowercased() }
        guard types.count == 1, types[0].hasSuffix("/json") || types[0].hasSuffix("+json") else {
            throw Refusal(.unsupportedMediaType, "a payload of JSON needs `Content-Type: application/json`")
        }
    }

    /// The id that the client gives the send: bare, or a string (RFC 9651, section 3.3.3). Nil if it gives none.
    private func id(in headers: HTTPHeaders) throws(Refusal) -> String? {
        let fields = headers["idempotency-key"]
        guard fields.count <= 1 else { throw Self.wrongID }
        guard let field = fields.first, field.hasPrefix("\"") else { return fields.first }
        guard field.count > 1, field.hasSuffix("\"") else { throw Self.wrongID }
        var id = ""
        var rest = field.dropFirst().dropLast()
        while let character = rest.popFirst() {
            guard character != "\"" else { throw Self.wrongID }
            guard character == "\\" else {
                id.append(character)
                continue
            }
            guard let escaped = rest.popFirst(), "\"\\".contains(escaped) else { throw Self.wrongID }
            id.append(escaped)
        }
        return id
    }

    private static let wrongID = Refusal(.badRequest, "`Idempotency-Key` is one id, bare or as a string in quotes")
}

/// How long a client waits for the outcome of its send.
private struct Patience {
    let limit: Duration
    /// Indicates whether it waits for no more than the first try.
    let endsWithFirstTry: Bool
    /// The preference that is honoured, as the answer names it; nil if the client has none.
    let applied: String?

    /// The longest time, in seconds.
    private static let longest = 30

    /// Reads `Prefer: wait=5` (RFC 7240). What cannot be read is no preference; of several, the first one counts.
    init(_ headers: HTTPHeaders) {
        let preferences = headers[canonicalForm: "prefer"].map { $0.prefix { $0 != ";" }.filter { !" \t\"".contains($0) }.lowercased() }
        let wait = preferences.first { $0.hasPrefix("wait=") }?.dropFirst("wait=".count)
        if let wait, wait.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let seconds = Int(wait.prefix(9)) {
            let seconds = min(seconds, Self.longest)
            (limit, endsWithFirstTry, applied) = (.seconds(seconds), false, "wait=\(seconds)")
        } else {
            (limit, endsWithFirstTry, applied) = (.seconds(2), true, nil)
        }
    }
}

// What a request gets.
extension PipelineResponder {
    private func answer(_ status: SendStatus, _ envelope: SendEnvelope) -> ServedAnswer {
        let path = ReservedPath.path(ofSend: status.id)
        switch status.state {
        case .sent, .merged: return shown(.ok, envelope)
        case .waiting, .sending, .held: return shown(.accepted, envelope, ["Location": path])
        case .failed, .dropped:
            let refusal = status.status.flatMap { (400..<500).contains($0) ? HTTPResponseStatus(statusCode: $0) : nil }
            return .details(
                refusal ?? (status.state == .failed ? .badGateway : .conflict), envelope.reason ?? "",
                [("instance", .string(path))] + envelope.members, headers: Self.uncached)
        }
    }

    private func shown(_ status: HTTPResponseStatus, _ envelope: SendEnvelope, _ headers: HTTPHeaders = [:]) -> ServedAnswer {
        .json(status, .object(envelope.members), headers: Self.uncached.adding(headers))
    }

    private static var uncached: HTTPHeaders { ["Cache-Control": "no-store"] }

    /// The answer to a request that is not done for this reason.
    private func refused(_ error: any Error) -> ServedAnswer {
        switch error {
        case let refusal as Refusal: .details(refusal.status, refusal.detail, headers: Self.uncached.adding(refusal.headers))
        case let problem as RequestTarget.Problem: .details(.badRequest, problem.message, headers: Self.uncached)
        case SendError.refused(let refusal):
            .details(status(of: refusal.cause), words(of: refusal), headers: Self.uncached)
        case SendError.unknownSend(let name, _):
            told(.notFound, SendError.unknownSend(name, known: served.taking.sends.names), isListed: detail == .full)
        case let error as SendError: told(error.isOfArguments ? .badRequest : .notFound, error)
        default: .abandoned
        }
    }

    /// - Parameter isListed: whether the client is told the names that there are.
    private func told(_ status: HTTPResponseStatus, _ error: SendError, isListed: Bool = true) -> ServedAnswer {
        .details(
            status, redactor.redacted(error.message) + (isListed ? error.helpForRequest.map { "; \($0)" } ?? "" : ""),
            headers: Self.uncached)
    }

    private func status(of cause: SendRefusal.Cause) -> HTTPResponseStatus {
        switch cause {
        case .unfit: .badRequest
        case .tooLarge: .payloadTooLarge
        case .knownID: .unprocessableEntity
        case .full: .insufficientStorage
        case .unavailable: .serviceUnavailable
        }
    }

    private func words(of refusal: SendRefusal) -> String {
        switch refusal.cause {
        case .unavailable where detail == .brief: "the outbox cannot be used at the moment"
        default: redactor.redacted(refusal.reason)
        }
    }
}

extension SendError {
    /// Indicates whether arguments are too many or too few.
    fileprivate var isOfArguments: Bool {
        switch self {
        case .undeclaredParameter, .missingParameters: true
        default: false
        }
    }

    /// The edit that makes the request one that is done.
    fileprivate var helpForRequest: String? {
        guard case .missingParameters(let names, let send) = self else { return help }
        return "give \(names.count == 1 ? "it" : "them") as in `/\(send)?\(names.map { "\($0)=VALUE" }.joined(separator: "&"))`"
    }
}

extension HTTPHeaders {
    fileprivate func adding(_ others: HTTPHeaders) -> HTTPHeaders {
        var all = self
        all.add(contentsOf: others)
        return all
    }
}
