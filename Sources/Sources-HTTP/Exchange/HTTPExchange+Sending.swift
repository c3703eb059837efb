import AsyncHTTPClient
import NIOHTTP1
import Pipeline
import PipelineConfig
import PipelineNetwork
import PipelineSockets

extension HTTPExchange {
    /// Sends one request, and returns what comes first of an answer.
    ///
    /// - Parameter permit: the right to send it; nil if the controller of its origin is asked first.
    func send(_ request: OutgoingRequest, with permit: RequestPermit?) async throws -> Answer {
        // The first request of a read is counted with the read.
        if permit == nil { try context.further?() }
        let repetition = origins.repetition(of: request, by: settings, context)
        let permit = if let permit { permit } else { try await self.permit(for: request) }
        let words = FailureWords(url: request.url, maxSize: settings.maxSize, proxy: settings.proxy)
        do {
            try await findHost(of: request.url)
        } catch {
            throw failure(words.error(for: error), for: error, repetition, permit)
        }
        // Stands for the connection until that counts itself, at the head of the answer.
        let descriptor: DescriptorPermit
        do {
            descriptor = try DescriptorBudget.process.take()
        } catch {
            permit.end(.cancelled)
            throw error
        }
        defer { descriptor.giveBack() }
        let sending = HedgedSending(
            request: clientRequest(request), client: try lease.client(for: request.url), repetition: repetition,
            isForRest: request.isForRest, words: words, exchange: self)
        let sent = await sending.head(with: permit)
        switch sent.result {
        case .success(var response):
            // In HTTP/2, too, where the bytes do not pass `AnswerReader`.
            response.headers = response.headers.trimmed
            let answer = Answer(
                url: request.url, status: Int(response.status.code), headers: response.headers, body: response.body, permit: sent.permit,
                repetition: repetition)
            note(response, isForRest: request.isForRest, sent.permit)
            return answer
        case .failure(let error):
            throw failure(words.error(for: error), for: error, repetition, sent.permit)
        }
    }

    /// Waits for the right to send `request`. What ends that wait says nothing of the origin: a ``SourceError`` that no circuit counts.
    func permit(for request: OutgoingRequest) async throws -> RequestPermit {
        let repetition = origins.repetition(of: request, by: settings, context)
        // A second request costs what the first one does.
        let isSmall = (request.body?.count ?? 0) <= 65_536
        let mayHedge = repetition.isAllowed && isSmall && ticket == nil
        let deadline = [context.deadline, end].compactMap(\.self).min()
        let demand = RequestDemand(
            load: context.load, deadline: deadline, hedge: mayHedge ? settings.hedge : nil, asker: repetition.asker)
        do {
            return try await repetition.controller.begin(demand)
        } catch let refusal as RequestRefusal {
            switch refusal {
            case .resting(let end, _, let status):
                var error = SourceError("\(refusal)", kind: .skipped, retry: .never(before: end))
                error.status = status
                throw error
            case .queueFull, .tooLate, .paced, .outOfTime: throw SourceError("\(refusal)", kind: .unasked)
            }
        }
    }

    /// Waits until the host that a request to `url` connects to is known: the client's own lookup is short then.
    func findHost(of url: HTTPURL) async throws {
        let address = Route(to: url, through: settings.proxy).address(for: url)
        try await HostNames.process.find(hostOf: address, within: SharedClients.connectTimeout, on: clock)
    }

    /// `request` as the client sends it.
    func clientRequest(_ request: OutgoingRequest) -> HTTPClientRequest {
        var clientRequest = request.clientRequest(by: Route(to: request.url, through: settings.proxy))
        clientRequest.tlsConfiguration = tls
        if let ticket { clientRequest.headers.replaceOrAdd(name: SendTickets.field, value: "\(ticket.number)") }
        // RFC 9218: 3 where nothing is said.
        let urgency: Int? =
            switch context.priority {
            case .high: 1
            case .normal: nil
            case .low: 5
            case .background: 7
            }
        if let urgency, !clientRequest.headers.contains(name: "Priority") {
            clientRequest.headers.add(name: "Priority", value: "u=\(urgency)")
        }
        return clientRequest
    }

    /// Tells the controller what the head of an answer says, unless its request has ended.
    func note(_ head: HTTPClientResponse, isForRest: Bool, _ permit: RequestPermit) {
        guard !permit.isOver else { return }
        let status = Int(head.status.code)
        let isValue = settings.accepted.accepts(status) || status == 206 && isForRest
        permit.head(status: status, isValue: isValue, retryAfter: head.headers.retryAfter(wall: clock.wall()))
        if let pause = head.headers.rateLimitPause { permit.rest(for: pause) }
        // Of any other answer at most the beginning is read.
        if !isValue { permit.end(.answered) }
    }
}

extension HTTPExchange {
    /// The error of an answer whose status is no value: of the 4xx, only 408, 425 and 429 are about the server and not about this request.
    func failure(of answer: Answer) -> SourceError {
        let reason = (["status \(answer.status) from \(answer.url.place)"] + answer.headers.shownLimits).joined(separator: ", ")
        let isRejected = 400...499 ~= answer.status && ![408, 425, 429].contains(answer.status)
        var error = isRejected ? SourceError(reason, kind: .rejected) : SourceError(reason)
        error.status = answer.status
        let asked = answer.headers.retryAfter(wall: clock.wall()).map { clock.now + $0 }
        error.retry = answer.repetition.advice(status: answer.status, asked: asked)
        return error
    }

    /// The error of an answer that broke off with `cause`; its request has ended.
    func failure(for cause: any Error, of answer: Answer) -> any Error {
        let error = FailureWords(url: answer.url, maxSize: settings.maxSize).error(for: cause)
        return failure(error, for: cause, answer.repetition, answer.permit)
    }

    /// Ends the request of `permit`, which `cause` broke off, and says of `error` whether it may be sent again.
    private func failure(
        _ error: any Error, for cause: any Error, _ repetition: Repetition, _ permit: RequestPermit
    ) -> any Error {
        permit.end(outcome(of: cause, as: error))
        guard var error = error as? SourceError else { return error }
        switch error.kind {
        // Another try finds the same certificate, and the same bytes.
        case .refused, .invalid: error.retry = .never()
        default: if case .later = error.retry.moment { error.retry = repetition.advice(for: cause) }
        }
        return error
    }

    /// The end of a request that gave no complete answer.
    ///
    /// - Parameter error: its words, where there are some.
    func outcome(of cause: any Error, as error: (any Error)? = nil) -> RequestOutcome {
        if Task.isCancelled || cause is CancellationError {
            let isLate = [end, context.limit].contains { $0.map { $0 <= clock.now } ?? false }
            return isLate ? .failed : .cancelled
        }
        if let error = error as? SourceError {
            // There was an answer, and it was not taken.
            if case .never = error.retry.moment { return .cancelled }
            if error.kind == .invalid { return .cancelled }
            if error.kind == .refused { return .unprocessed }
        }
        return Repetition.Progress(of: cause) == .none ? .unprocessed : .failed
    }
}
