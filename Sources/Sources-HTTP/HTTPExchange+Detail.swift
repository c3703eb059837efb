import AsyncHTTPClient
import NIOCore
import Pipeline

extension HTTPExchange {
    /// How much of the body of a failed answer is read: enough for its beginning to be shown when secrets in it are masked.
    private static let excerptRoom = 4 << 10
    /// How long the answer may take to say more than its status.
    private static let excerptTime = Duration.milliseconds(250)

    /// The beginning of the body of an answer whose status is no value; nil where it is empty, cannot be read, or does not come soon.
    func detail(of answer: Answer, clock: PipelineClock) async -> String? {
        try? await clock.race(until: clock.now + Self.excerptTime, late: { nil }, leaving: { await $0.end() }) {
            try await Self.excerpt(of: answer)
        }
    }

    /// The body as text, up to the room for it. A word that is cut is left out: it could be a part of a secret.
    private static func excerpt(of answer: Answer) async throws -> String? {
        var bytes: [UInt8] = []
        for try await part in answer.body {
            bytes.append(contentsOf: part.readableBytesView.prefix(excerptRoom + 1 - bytes.count))
            if bytes.count > excerptRoom { break }
        }
        if bytes.count > excerptRoom { bytes = Array(bytes[..<(bytes.lastIndex { " \t\r\n".utf8.contains($0) } ?? 0)]) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
