import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Pipeline
import PipelineConfig

extension HTTPExchange {
    /// The number of bytes of the body of a failed answer that are kept: enough for its beginning to be shown when secrets in it are
    /// masked.
    private static let excerptRoom = 4 << 10
    /// The number of further bytes that are read to find the end of a word.
    private static let longestWord = 64 << 10
    /// The time that the answer may take to say more than its status.
    static let excerptTime = Duration.milliseconds(250)

    /// The beginning of the body of an answer whose status is no value; nil if it is empty, cannot be read, or does not come soon.
    ///
    /// A credential of the request is masked where it stands as a word, however short: messages are searched for longer ones only.
    func detail(of answer: Answer, to request: OutgoingRequest, clock: PipelineClock) async -> String? {
        let excerpt = try? await clock.race(until: clock.now + Self.excerptTime, late: { nil }, leaving: { await $0.end() }) {
            try await self.excerpt(of: answer)
        }
        return excerpt.map(request.maskingCredentials)
    }

    /// The body as text, as far as it is read. A word that is cut is left out: it could be a part of a secret.
    private func excerpt(of answer: Answer) async throws -> String? {
        let decoder = try decoder(for: answer)
        var bytes: [UInt8] = []
        var isCut = false
        reading: for try await part in answer.body {
            if let decoder {
                // A few bytes may expand to very many.
                do { try decoder.decode(part, into: &bytes, limit: Self.longestWord) } catch .tooLarge { isCut = true }
            } else {
                bytes.append(contentsOf: part.readableBytesView)
            }
            isCut = isCut || bytes.count > Self.longestWord || bytes.count > Self.excerptRoom && Self.end(of: bytes) != nil
            if isCut { break reading }
        }
        if !isCut { try decoder?.end() }
        if bytes.count > Self.excerptRoom, let end = Self.end(of: bytes) { bytes = Array(bytes[..<end]) }
        return bytes.isEmpty ? nil : String(decoding: bytes.prefix(Self.longestWord), as: UTF8.self)
    }

    /// The end of the last word that ends within the room, in its second half; otherwise of the first one that ends behind it.
    private static func end(of bytes: [UInt8]) -> Int? {
        func isBlank(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }
        return bytes[(excerptRoom / 2)...(excerptRoom)].lastIndex(where: isBlank) ?? bytes[excerptRoom...].firstIndex(where: isBlank)
    }
}

extension OutgoingRequest {
    /// `text` with `***` in place of the request's own credentials.
    func maskingCredentials(in text: String) -> String { headers.credentials.reduce(text) { $0.masking($1) } }
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
