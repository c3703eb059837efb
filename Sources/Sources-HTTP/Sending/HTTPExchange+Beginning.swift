import AsyncHTTPClient
import NIOCore
import Pipeline
import Synchronization

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
