extension Tier {
    /// The result of `work` within this tier's time to answer, as ``PipelineClock/race(until:elsewhere:late:leaving:dropping:_:)`` gives it.
    func limiting<Value: Sendable>(
        leaving: (Task<Void, Never>) async -> Void = { $0.cancel() }, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let limit = policy.timeLimit
        return try await clock.race(
            until: clock.now + limit, late: { throw SourceError("no answer within \(limit.spelling)", kind: .timeout) }, leaving: leaving,
            work)
    }
}
