import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Pipeline
import PipelineConfig

extension HTTPExchange {
    /// How much of the body of a failed answer is read: enough for its beginning to be shown when secrets in it are masked.
    private static let excerptRoom = 4 << 10
    /// How long the answer may take to say more than its status.
    private static let excerptTime = Duration.milliseconds(250)

    /// The beginning of the body of an answer whose status is no value; nil where it is empty, cannot be read, or does not come soon.
    ///
    /// A credential of the request is masked where it stands as a word, however short: messages are searched for longer ones only.
    func detail(of answer: Answer, to request: OutgoingRequest, clock: PipelineClock) async -> String? {
        let excerpt = try? await clock.race(until: clock.now + Self.excerptTime, late: { nil }, leaving: { await $0.end() }) {
            try await Self.excerpt(of: answer)
        }
        return excerpt.map { request.headers.credentials.reduce($0) { $0.masking($1) } }
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

extension HTTPHeaders {
    /// The values of the fields that are called like credentials, and what follows the scheme in them: `Bearer abc` and `abc`.
    fileprivate var credentials: [String] {
        filter { Credential.isName($0.name) }.flatMap { field in
            [field.value] + field.value.split(separator: " ", maxSplits: 1).dropFirst().map(String.init)
        }
    }
}

extension String {
    /// The text with `***` in place of `word`, where no letter or digit stands next to it.
    fileprivate func masking(_ word: String) -> String {
        guard !word.isEmpty else { return self }
        var (result, rest) = ("", self[...])
        while let range = rest.firstRange(of: word) {
            let neighbours = [self[..<range.lowerBound].last, self[range.upperBound...].first].compactMap(\.self)
            let isWord = neighbours.allSatisfy { !$0.isLetter && !$0.isNumber }
            result += rest[..<range.lowerBound] + (isWord ? "***" : word)
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}
