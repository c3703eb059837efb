public import Pipeline
import PipelineComposing
private import Synchronization

/// Counts the requests that origins get, and refuses what is more than a limit.
public final class OriginCalls: Sendable {
    private struct State {
        var total = 0
        var bySource: [String: Int] = [:]
        var isExhausted = false
    }

    private let limit: Int
    private let common: OriginCalls?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: the most calls.
    ///   - common: counts the same calls together with the calls of others, within a limit of its own.
    public init(limit: Int = .max, within common: OriginCalls? = nil) {
        (self.limit, self.common) = (limit, common)
    }

    /// Indicates whether a call was refused.
    public var isExhausted: Bool { state.withLock(\.isExhausted) || common?.isExhausted == true }

    /// The number of calls of each origin.
    public var bySource: [String: Int] { state.withLock(\.bySource) }

    /// All calls that count for the limit.
    public var total: Int { state.withLock(\.total) }

    /// `source` with its requests counted, when it is an origin; a cache as it is, and the place of a composite, which asks others.
    ///
    /// - Parameter isFree: whether the limit does not hold for it, since it sends nothing to an origin.
    public func counting(_ source: SourceSpec, isFree: Bool = false) -> SourceSpec {
        guard source.isOrigin, source.name != CompositeSpec.placeName else { return source }
        let counted = CountedOrigin(base: source.source, name: source.name, isFree: isFree, calls: self)
        return SourceSpec(source.name, counted, cache: nil, capabilities: source.capabilities)
    }

    /// Counts a call of `source`. Throws when it would be one too many.
    fileprivate func count(_ source: String, isFree: Bool) throws {
        try common?.count(source, isFree: isFree)
        let isWithin = state.withLock { state in
            guard isFree || state.total < limit else {
                state.isExhausted = true
                return false
            }
            if !isFree { state.total += 1 }
            state.bySource[source, default: 0] += 1
            return true
        }
        guard isWithin else { throw SourceError("asked \(limit) times, which is the most for this comparison", kind: .unasked) }
    }
}

/// An origin whose requests are counted.
private struct CountedOrigin: Source {
    let base: any Source
    let name: String
    let isFree: Bool
    let calls: OriginCalls

    var style: ReadStyle { base.style }
    var mayRepeat: Bool { base.mayRepeat }

    var batching: Batching? {
        base.batching.map { batching in
            Batching(of: batching.parameter, most: batching.most, window: batching.window) { keys, context in
                try await batching.read(keys, counting(context))
            }
        }
    }

    /// Counts a request, and what the read sends after it: redirects, second requests, and requests for what a 304 or 416 did not give. One that
    /// is sent again because its connection was lost counts once.
    private func counting(_ context: ReadContext) throws -> ReadContext {
        try count()
        var context = context
        context.further = { try count() }
        return context
    }

    private func count() throws { try calls.count(name, isFree: isFree) }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        try await base.read(key, counting(context))
    }

    func peek(_ key: Key) throws -> Entry? {
        try count()
        return try base.peek(key)
    }

    func judge(_ copy: Entry, of key: Key, _ context: ReadContext) -> CopyJudgement {
        base.judge(copy, of: key, context)
    }
    func check() async throws -> Reachability { try await base.check() }
    func connect() async throws { try await base.connect() }
    func close() async { await base.close() }
}

/// The end of a comparison whose origins have been asked as often as they may be.
public struct OriginLimitReached: Error {
    init() {}
}
