extension LoadReply {
    /// The reply of a fetch that may ask no origin: where no copy is fresh, the newest one of any age; without any, a failure that says so.
    func offline(at now: Timestamp) -> LoadReply {
        if isAnswer { return self }
        guard let copy = expired.filter({ $0.entry.payload != nil }).max(by: { $0.entry.created < $1.entry.created }) else {
            var reply = self
            if !hasFailed { reply.answer = .failed(isFinal: false) }
            reply.unasked = .offline
            return reply
        }
        return serving(copy, at: now, because: "policy \(FetchPolicy.offline.rawValue)")
    }
}
