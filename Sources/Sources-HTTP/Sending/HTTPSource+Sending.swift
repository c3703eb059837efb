import NIOHTTP1
public import Pipeline
internal import PipelineConfig
public import PipelineSending
import PipelineSockets

extension HTTPSource: SendingSource {
    /// The time for one try of a source without a `timeout`.
    private static let usualLimit = Duration.seconds(30)

    /// ``SendRepetition/always`` for a method that may be repeated (RFC 9110, section 9.2.2), and ``SendRepetition/byID`` for another
    /// where `idempotent` says it.
    public var repetition: SendRepetition { settings.repetition }

    /// The time of the source, else half a minute.
    public var longestTry: Duration { settings.timeout ?? Self.usualLimit }

    /// Asks the server to make the change, with one request that is never sent a second time.
    ///
    /// 303 within the origin, and 404 or 410 to a DELETE, are accepted, too. Of an answer that is not accepted only the beginning of the
    /// body is given. Cancelled before the request goes out it throws a `SourceError` of the kind `unasked`, and after that
    /// `CancellationError`.
    public func send(_ send: OutgoingSend, _ context: ReadContext) async throws -> SendAnswer {
        let ticket = SendTickets.process.issue()
        defer { SendTickets.process.takeBack(ticket) }
        do {
            return try await answer(to: settings.request(for: send), with: ticket, context)
        } catch {
            throw ticket.withdraw() ? SourceError.notSent(error) : SourceError.perhapsSent(error)
        }
    }

    private func answer(to request: OutgoingRequest, with ticket: SendTicket, _ context: ReadContext) async throws -> SendAnswer {
        guard !lease.isClosed else { throw SourceError("the source is closed") }
        var exchange = HTTPExchange(
            lease: lease, origins: origins, settings: settings, tls: try tls(), context: context, clock: clock, download: nil,
            ticket: ticket)
        let permit = try await exchange.permit(for: request)
        // A wait for its turn is none of the server's.
        let limit = settings.timeout ?? Self.usualLimit
        exchange.end = clock.now + limit
        let late = SourceError("no answer within \(limit.written ?? "the time limit")", kind: .timeout)
        let (answer, body) = try await clock.race(until: exchange.end, late: { throw late }, leaving: { await $0.end() }) { [exchange] in
            let answer = try await exchange.unmovedAnswer(to: request, with: permit)
            return (answer, exchange.isAccepted(answer) ? try await exchange.payload(of: answer) : nil)
        }
        let isAccepted = body != nil
        // Outside of the limit: what is wrong with the body of a failed answer must not hide its status.
        let beginning = isAccepted ? [] : await exchange.beginning(of: answer, to: request)
        return SendAnswer(answer, isAccepted: isAccepted, body: body ?? beginning, clock: clock)
    }
}

extension SendAnswer {
    /// What `answer`, with this body, says.
    fileprivate init(_ answer: HTTPExchange.Answer, isAccepted: Bool, body: [UInt8], clock: PipelineClock) {
        self.init(
            status: answer.status, isAccepted: isAccepted, body: body, etag: answer.headers.usableTag,
            location: answer.headers.first(name: "Location"),
            notBefore: answer.headers.retryAfter(wall: clock.wall()).map { clock.now + $0 })
    }
}

extension SourceError {
    /// The error of a send that surely was not made, as ``SendingSource`` wants it said.
    static func notSent(_ error: any Error) -> SourceError {
        guard let error = error as? SourceError else {
            return SourceError(error is CancellationError ? "not sent: cancelled" : "not sent: \(error)", kind: .unasked, cause: error)
        }
        if error.saysThatNothingWasSent { return error }
        return SourceError("not sent: \(error.reason)", kind: .unasked, help: error.help, cause: error.cause)
    }

    /// The error of a send that may have been made: one that does not say otherwise. A connection may be lost for the same reasons as none
    /// can be opened.
    static func perhapsSent(_ error: any Error) -> any Error {
        guard var error = error as? SourceError else { return error }
        error.isUnreached = false
        guard error.saysThatNothingWasSent else { return error }
        var other = SourceError(error.reason, help: error.help, cause: error.cause, retry: error.retry)
        (other.detail, other.status) = (error.detail, error.status)
        return other
    }
}
