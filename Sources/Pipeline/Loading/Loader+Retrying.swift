extension Loader {
    /// Tries a failed load again, as `policy` says. The tier still makes one attempt, which names how often it was tried.
    ///
    /// Misses, expired copies and `not_found` are answers; only errors, timeouts and invalid payloads are tried again, and
    /// of the errors not those of a source that rejects the request (``SourceError/Kind/rejected``).
    package func retrying(_ policy: RetryPolicy, clock: PipelineClock) -> Loader {
        Loader(name, begin: beginningOfAnswers) { request in
            let begin = clock.now
            var reply = try await load(request)
            var tries = 1
            let attempts = request.isTriedOnce ? 1 : policy.attempts
            while reply.hasFailed, !reply.isRejected, tries < attempts {
                let delay = policy.delay(after: tries)
                if let deadline = request.deadline, clock.now + delay >= deadline { break }
                try await clock.sleep(for: delay)
                // Without what was found before the load: that is what failed.
                reply = try await load(request.unasked)
                tries += 1
            }
            return tries == 1 ? reply : reply.tried(tries, for: clock.now.duration(since: begin))
        }
    }
}

extension LoadReply {
    fileprivate func tried(_ tries: Int, for duration: Duration) -> LoadReply {
        guard let last = attempts.last else { return self }
        var copy = self
        let reason = [last.reason, "tried \(tries) times"].compactMap { $0 }.joined(separator: ", ")
        copy.attempts = Attempts(
            Attempt(
                last.source, last.outcome, duration: duration, reason: reason, detail: last.detail, error: last.error, tries: tries))
        return copy
    }
}
