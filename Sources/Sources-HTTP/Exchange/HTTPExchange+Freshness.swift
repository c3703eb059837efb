import NIOHTTP1
public import Pipeline
internal import PipelineConfig
import PipelineNetwork
import PipelineSockets

extension HTTPExchange {
    /// The answer to `request`. A 304 that is not about `known` is none: a request that may be repeated is sent once more, without conditions.
    ///
    /// Throws for a second 304.
    ///
    /// - Parameter permit: the right to send `request`.
    func wantedAnswer(to request: OutgoingRequest, confirming known: Entry?, with permit: RequestPermit) async throws -> Answer {
        let first = try await answer(to: request, with: permit)
        guard isAboutNothing(first, confirming: known) else { return first }
        guard settings.mayRepeat(settings.method) else { throw Self.unasked(first) }
        let second = try await answer(to: request.plain)
        guard !isAboutNothing(second, confirming: nil) else { throw Self.unasked(second) }
        return second
    }

    /// Indicates whether it is a 304 that nobody asked for, or one about another copy than `known`.
    private func isAboutNothing(_ answer: Answer, confirming known: Entry?) -> Bool {
        answer.status == 304 && !settings.accepted.lists(304) && !(known?.isConfirmed(by: answer.headers) ?? false)
    }

    private static func unasked(_ answer: Answer) -> SourceError {
        SourceError("status 304 from \(answer.url.place), though nothing was asked to be confirmed", kind: .invalid)
    }

    /// The answer's word on copies; nil if that does not count.
    ///
    /// - Parameters:
    ///   - requested: when the request was sent, on the time line of copies.
    ///   - wall: the wall time at which the answer came.
    func freshness(
        of answer: Answer, to request: OutgoingRequest, confirming known: Entry?, requested: Timestamp, wall: Timestamp
    ) -> OriginFreshness? {
        guard settings.caching != .none else { return nil }
        return OriginFreshness(
            settings, status: answer.status, answer.headers, to: request.headers, confirming: answer.status == 304 ? known : nil,
            requested: requested, wall: wall)
    }
}

extension HTTPSource {
    /// Judges a copy: one is foreign that was made for a request with other values in the fields that its answer depends on.
    public func judge(_ copy: Entry, of key: Key, _ context: ReadContext) -> CopyJudgement {
        guard settings.caching != .none, let variant = copy.variant else { return .current }
        return (try? settings.request(for: key)).map { RequestVariant.matches(variant, $0.headers) } ?? false ? .current : .foreign
    }
}

/// The variant of an answer that a request gets, by the fields that the server names in `Vary` (RFC 9111, section 4.1): their names, and a
/// hash of what was sent in them. The values are never kept.
struct RequestVariant: Equatable {
    /// The longest list of names that is kept.
    private static let longest = 1_024

    /// `accept-language,authorization 9f86d081884c7d65`
    let text: String

    /// Reads the variant of an answer; nil if the answer does not vary. Throws
    /// ``Endless`` if no other request is known to get it.
    init?(of answer: HTTPHeaders, to request: HTTPHeaders) throws(Endless) {
        let names = Set(answer[canonicalForm: "Vary"].map { $0.lowercased() }.filter { !$0.isEmpty }).sorted()
        if names.isEmpty { return nil }
        if names.contains("*") { throw Endless(reason: "vary: *") }
        guard names.joined().utf8.count <= Self.longest else { throw Endless(reason: "vary: too many names") }
        self.init(names, in: request)
    }

    /// An answer that depends on more than the fields of its request, or on more of them than are kept.
    struct Endless: Error {
        let reason: String
    }

    private init(_ names: [String], in request: HTTPHeaders) {
        // A field that is not sent is another one than a field that is sent empty. Several lines are one list, whose blanks count for nothing.
        let sent = names.map { name in
            let values = request[name]
            return values.isEmpty ? name : "\(name):\(CacheControl.list(values.joined(separator: ",")).joined(separator: ","))"
        }.joined(separator: "\n")
        text = names.joined(separator: ",") + " " + KeyHash.digits(of: KeyHash.hash(of: sent))
    }

    /// Indicates whether `request` has in the fields that `text` names what was sent when it was made.
    static func matches(_ text: String, _ request: HTTPHeaders) -> Bool {
        guard let end = text.lastIndex(of: " ") else { return false }
        return RequestVariant(text[..<end].split(separator: ",").map(String.init), in: request).text == text
    }
}
