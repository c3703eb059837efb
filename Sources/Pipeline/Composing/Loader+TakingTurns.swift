extension Loader {
    /// Has each call of an origin wait for a permit, where the fetch that it is for bounds its calls.
    ///
    /// The wait is no time of the call that follows it. Where the tier tries several times, the time that all tries have together goes on
    /// meanwhile: it is less for the tries that come later.
    func takingTurns(on clock: PipelineClock) -> Loader {
        Loader(name) { request in
            guard let calls = request.part?.bounds.calls else { return try await load(request) }
            let begin = clock.now
            do {
                try await calls.take(until: request.deadline, on: clock)
            } catch is PastLimit {
                return lateTurn(of: request, after: clock.now.duration(since: begin))
            }
            defer { calls.give() }
            var request = request
            let waited = clock.now.duration(since: begin)
            request.tryingSince = request.tryingSince.map { $0 + waited }
            return try await load(request)
        }
    }

    /// The reply where the time was over before there was a permit. The origin was not asked: no circuit counts it.
    private func lateTurn(of request: LoadRequest, after duration: Duration) -> LoadReply {
        let reason = "not asked within \(request.part?.limit ?? "the time until the deadline"): other calls of the fetch were under way"
        let attempt = Attempt(name, .timeout, duration: duration, reason: reason, error: SourceError(reason, kind: .unasked))
        var reply = LoadReply(.failed(isFinal: false), attempts: [attempt])
        reply.isPastDeadline = true
        return reply
    }
}
