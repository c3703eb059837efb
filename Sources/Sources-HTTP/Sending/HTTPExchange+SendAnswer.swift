import NIOHTTP1
import NIOHTTP2
import Pipeline
import PipelineNetwork
import PipelineSockets

extension HTTPExchange {
    /// The answer to the request of a send. Of redirects only 307 and 308 within the origin are followed, as far as the settings allow:
    /// they alone keep the method and the body, and say that nothing was done.
    ///
    /// Throws for a redirect to another origin, which is no answer of this one: a network that wants a sign-in first redirects everything.
    ///
    /// - Parameter permit: the right to send `request`.
    func unmovedAnswer(to request: OutgoingRequest, with permit: RequestPermit) async throws -> Answer {
        var (request, permit) = (request, RequestPermit?.some(permit))
        var redirects = 0
        while true {
            let answer = try await answerOrRefusal(to: request, with: permit)
            guard let target = try sameOriginTarget(of: answer), [307, 308].contains(answer.status), redirects < settings.redirects.count
            else { return answer }
            ticket?.renew()
            permit = nil
            redirects += 1
            request = try request.redirected(to: target, status: answer.status)
        }
    }

    /// Indicates whether the origin has made the change that the answer is about, or it was made before.
    func isAccepted(_ answer: Answer) -> Bool {
        switch answer.status {
        case 200..<300: true
        case _ where settings.accepted.accepts(answer.status): true
        case 303: answer.headers.first(name: "Location").map { (try? answer.url.resolving($0)) != nil } ?? true
        case 404, 410: settings.method == .delete
        default: false
        }
    }

    private func answerOrRefusal(to request: OutgoingRequest, with permit: RequestPermit?) async throws -> Answer {
        do {
            let answer = try await send(request, with: permit)
            if answer.status >= 200 { return answer }
            // Nothing was asked that it could be the answer to (RFC 9110, section 15.2).
            answer.permit.end(.cancelled)
            throw SourceError("status \(answer.status) from \(answer.url.place), which is no final answer", kind: .invalid)
        } catch let error as SourceError where error.isRefusedStream {
            ticket?.renew()
            throw SourceError(error.reason, kind: .refused, cause: error.cause)
        }
    }

    /// The URL that the answer redirects to; nil if it does not, or where that cannot be read. Throws for one of another origin.
    private func sameOriginTarget(of answer: Answer) throws -> HTTPURL? {
        guard [301, 302, 303, 307, 308].contains(answer.status), !settings.accepted.lists(answer.status),
            let location = answer.headers.first(name: "Location"), let target = try? answer.url.resolving(location)
        else { return nil }
        guard target.origin == answer.url.origin else {
            ticket?.renew()
            throw SourceError(
                "a redirect from \(answer.url.place) (\(answer.status)) to \(target.origin); if that is meant, send there", kind: .refused)
        }
        return target
    }
}

extension SourceError {
    /// Indicates whether the server said that it did not look at the request (RFC 9113, section 8.7).
    fileprivate var isRefusedStream: Bool { (cause as? NIOHTTP2Errors.StreamClosed)?.errorCode == .refusedStream }
}
