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

    /// Whether it is a 304 that nobody asked for, or one about another copy than `known`.
    private func isAboutNothing(_ answer: Answer, confirming known: Entry?) -> Bool {
        answer.status == 304 && !settings.accepted.lists(304) && !(known?.isConfirmed(by: answer.headers) ?? false)
    }

    private static func unasked(_ answer: Answer) -> SourceError {
        SourceError("status 304 from \(answer.url.place), though nothing was asked to be confirmed", kind: .invalid)
    }

    /// What the answer says about copies; nil where that does not count.
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
    /// A copy is foreign that was made for a request with other values in the fields that its answer depends on.
    public func judge(_ copy: Entry, of key: Key, _ context: ReadContext) -> CopyJudgement {
        guard settings.caching != .none, let variant = copy.variant else { return .current }
        return (try? settings.request(for: key)).map { RequestVariant.matches(variant, $0.headers) } ?? false ? .current : .foreign
    }
}
