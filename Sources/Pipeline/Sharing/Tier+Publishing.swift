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
