import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2
import Pipeline
import PipelineNetwork
import PipelineSockets
import Synchronization

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
        guard let location = redirection(of: answer), let target = try? answer.url.resolving(location) else { return nil }
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

extension HTTPExchange {
    /// The beginning of the body of an answer that is not accepted, as far as it comes soon, and whatever is wrong with it. Credentials are
    /// masked as in a detail.
    func beginning(of answer: Answer, to request: OutgoingRequest) async -> [UInt8] {
        let beginning = BodyBeginning()
        _ = try? await clock.race(until: clock.now + Self.excerptTime, late: {}, leaving: { await $0.end() }) {
            try await self.receive(beginning, of: answer)
        }
        let bytes = beginning.bytes
        let text = String(decoding: bytes, as: UTF8.self)
        let masked = request.maskingCredentials(in: text)
        return masked == text ? bytes : Array(masked.utf8)
    }

    private func receive(_ beginning: BodyBeginning, of answer: Answer) async throws {
        let decoder = try decoder(for: answer)
        var bytes: [UInt8] = []
        for try await part in answer.body {
            defer { beginning.keep(bytes) }
            if let decoder {
                try decoder.decode(part, into: &bytes, limit: BodyBeginning.most)
            } else {
                bytes.append(contentsOf: part.readableBytesView)
            }
            if bytes.count > BodyBeginning.most { return }
        }
        try decoder?.end()
        beginning.complete()
    }
}

/// The first bytes of a body.
private final class BodyBeginning: Sendable {
    static let most = 64 << 10

    private let state = Mutex<(bytes: [UInt8], isWhole: Bool)>(([], false))

    func keep(_ bytes: [UInt8]) { state.withLock { $0.bytes = bytes } }

    func complete() { state.withLock { $0.isWhole = true } }

    /// The bytes that have come. The last word of a body that is not complete could be a part of a secret, and is left out.
    var bytes: [UInt8] {
        let (bytes, isWhole) = state.withLock(\.self)
        if isWhole { return bytes }
        let kept = bytes.prefix(Self.most)
        let end = kept.lastIndex { " \t\r\n".utf8.contains($0) }
        return Array(end.map { kept[..<$0] } ?? kept)
    }
}
