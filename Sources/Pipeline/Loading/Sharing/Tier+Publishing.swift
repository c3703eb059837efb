extension Tier {
    /// The source, when changes of it are published to other processes.
    var publishing: (any SharedSource)? {
        guard let shared, shared.publishes else { return nil }
        return shared
    }

    /// Publishes the message to other processes; returns the record of a failure. Does nothing for a source that publishes no messages.
    func publish(_ invalidation: InvalidationMessage) async -> WriteRecord? {
        guard isCache, let source = publishing else { return nil }
        do {
            try await limiting { try await source.publish(invalidation) }
            return nil
        } catch {
            let reason = "the invalidation message was not published: \(redactor.redacted("\(error)"))"
            return WriteRecord(name, .failed, reason: reason, error: error)
        }
    }

    /// Publishes that `key` has another value, once this cache holds it or has failed to take it for good. A process that then drops its copy
    /// finds the new value. A failure is a record in `log`, unless another value took the place of this one before.
    func publishChange(of key: Key, log: WriteLog) {
        guard let queue, publishing != nil else { return }
        let isAwaited = policy.debounce == nil
        if isAwaited { log.hold() }
        let message = ChangeMessage {
            let failure = await publish(.key(key))
            if let failure { observer?(.write(failure, key: key)) }
            return failure
        } completion: { failure in
            log.release(adding: failure, isHeld: isAwaited)
        }
        queue.publish(message, afterChangesOf: key)
    }
}

extension Loader {
    /// Publishes to other processes that a fetch with the policy `refresh` has renewed a value, once each cache among `tiers` that they share
    /// holds it.
    ///
    /// A refresh in the background is not published: the copies of the others are within their own time to live, and dropping them
    /// whenever one process renews its copy would have every process load as often as all of them together.
    package func publishingRefreshes(to tiers: [Tier]) -> Loader {
        let shared = tiers.filter { $0.isCache && $0.publishing != nil }
        guard !shared.isEmpty else { return self }
        return Loader(name) { call, trail, standing in
            var reply = try await load(call, trail, standing)
            guard call.isRequestedRefresh else { return reply }
            switch reply.answer {
            case .value, .notFound:
                let log = reply.writes ?? WriteLog()
                reply.writes = log
                for tier in shared { tier.publishChange(of: call.key, log: log) }
            case .stale, .none, .failed: break
            }
            return reply
        }
    }
}
