import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import Pipeline
import PipelineNetwork
import PipelineSockets

/// A request and the answer it comes to, redirects followed.
struct HTTPExchange: Sendable {
    /// The head of the last answer, and its body, which is still on its way.
    struct Answer: Sendable {
        let url: HTTPURL
        var status: Int
        var headers: HTTPHeaders
        let body: HTTPClientResponse.Body
        /// The bytes of the body that an earlier load received.
        var beginning: [UInt8] = []
        /// The right to receive the body.
        let permit: RequestPermit
        /// The rule for whether the request may be sent again when the body breaks off.
        let repetition: Repetition
    }

    let lease: ClientLease
    let origins: OriginAccess
    let settings: HTTPSettings
    let tls: TLSConfiguration?
    let context: ReadContext
    let clock: PipelineClock
    /// The moment when the attempt has no more time by the settings; nil without a limit, and before its first request may be sent.
    var end: Timestamp?
    /// The place for a body that breaks off; nil if it is not kept.
    let download: Download?
    /// The right of a send to go out, once; nil for a read, which may be repeated where the method may.
    var ticket: SendTicket?

    /// The most codings of one body; nobody applies more on purpose.
    private static let mostCodings = 5

    /// The answer to `request`, after at most as many redirects as the settings allow.
    ///
    /// - Parameter permit: the right to send the first request; nil if that is waited for.
    func answer(to request: OutgoingRequest, with permit: RequestPermit? = nil) async throws -> Answer {
        guard let part = download?.part else { return try await finalAnswer(to: request, with: permit) }
        let answer = try await finalAnswer(to: request.plain.continuing(part), with: permit)
        if let length = part.whole(continuedBy: answer, limit: settings.maxSize.bytes) { return answer.continuing(part, length: length) }
        // A server that has another body now, or that refuses ranges, does so the next time, too.
        download?.drop()
        if answer.isWhole || answer.status == 404 || answer.status == 410 { return answer }
        // What does not fit is not read, and must not keep the next request from its turn.
        answer.permit.end(.cancelled)
        return try await finalAnswer(to: request)
    }

    private func finalAnswer(to request: OutgoingRequest, with permit: RequestPermit? = nil) async throws -> Answer {
        var (request, permit) = (request, permit)
        var redirects = 0
        while true {
            let answer = try await send(request, with: permit)
            permit = nil
            guard let target = try target(of: answer) else { return answer }
            guard redirects < settings.redirects.count else {
                throw Self.redirectError("more than \(redirects) redirects, the last from \(answer.url.place)", of: answer)
            }
            redirects += 1
            request = try request.redirected(to: target, status: answer.status)
        }
    }

    /// The URL that the answer redirects to; nil if it is the last one.
    private func target(of answer: Answer) throws -> HTTPURL? {
        guard settings.redirects.count > 0, let location = redirection(of: answer) else { return nil }
        do {
            return try answer.url.resolving(location)
        } catch {
            throw Self.redirectError("a redirect from \(answer.url.place) that cannot be followed: \(error.words)", of: answer, error)
        }
    }

    /// The URL to which the answer redirects, as it stands there; nil if it does not.
    func redirection(of answer: Answer) -> String? {
        guard [301, 302, 303, 307, 308].contains(answer.status), !settings.accepted.lists(answer.status) else { return nil }
        return answer.headers.first(name: "Location")
    }

    private static func redirectError(_ reason: String, of answer: Answer, _ cause: (any Error)? = nil) -> SourceError {
        var error = SourceError(reason, cause: cause)
        error.status = answer.status
        return error
    }
}

extension HTTPExchange {
    /// All of the body. Throws when it is cut short, cannot be decoded, or is larger than the settings allow.
    func payload(of answer: Answer) async throws -> [UInt8] {
        let words = FailureWords(url: answer.url, maxSize: settings.maxSize)
        let limit = settings.maxSize.bytes
        // They have no content, whatever their fields say (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5).
        guard ![204, 205, 304].contains(answer.status) else {
            // Behind two of them nothing comes, and their connection is used again when that was seen.
            if answer.status != 205 { _ = try? await answer.body.first { _ in true } }
            answer.permit.end(.answered)
            return []
        }
        let decoder = try decoder(for: answer)
        let length = decoder == nil ? answer.headers.first(name: "Content-Length").flatMap { Int($0) } : nil
        if let length, length > limit { throw words.tooLarge() }
        // What a server declares is no reason to reserve everything at once.
        var payload = answer.beginning
        payload.reserveCapacity(min(length ?? 0, 1 << 20))
        do {
            for try await part in answer.body {
                if let decoder {
                    try decoder.decode(part, into: &payload, limit: limit)
                } else {
                    guard part.readableBytes <= limit - payload.count else { throw words.tooLarge() }
                    payload.append(contentsOf: part.readableBytesView)
                }
                answer.permit.received(part.readableBytes)
                context.report?(payload.count, length)
            }
            try Task.checkCancellation()
            guard length == nil || length == payload.count else { throw words.cutShort() }
            try decoder?.end()
        } catch {
            download?.keep(PartialBody(payload, of: answer, wall: clock.wall()))
            throw failure(for: error, of: answer)
        }
        download?.drop()
        answer.permit.end(.answered)
        return payload
    }

    /// The decoder that expands the body; nil if it came as it is. Throws for a body that cannot be expanded.
    func decoder(for answer: Answer) throws -> BodyDecoder? {
        let names = answer.headers.contentCodings
        let codings = names.compactMap(BodyDecoder.Coding.init(name:))
        guard codings.count == names.count, codings.count <= Self.mostCodings else {
            let quoted = names.joined(separator: ", ").prefix(60)
            throw SourceError("the content encoding `\(quoted)` from \(answer.url.place) is unknown", kind: .invalid)
        }
        // They stand in the order in which they were applied (RFC 9110, section 8.4).
        return codings.reduce(nil) { next, coding in BodyDecoder(coding, then: next) }
    }
}
