extension Tier {
    /// The source, when what changes in it is announced to other processes.
    var announcing: (any AnnouncingSource)? {
        guard let source = source.asAnnouncing, source.announces else { return nil }
        return source
    }

    /// Tells the other processes; gives what is to be said when that fails. Does nothing for a source that announces nothing.
    func tell(_ announcement: Announcement) async -> WriteRecord? {
        guard isCache, let source = announcing else { return nil }
        do {
            try await limiting { try await source.announce(announcement) }
            return nil
        } catch {
            let reason = "the other processes were not told: \(redactor.redacted("\(error)"))"
            return WriteRecord(name, .failed, reason: reason, error: error)
        }
    }

    /// Tells the other processes that `key` has another value, once this cache holds it or has failed to take it for good: whoever drops
    /// a copy then finds the new one. A failure is a record in `log`, unless another value took the place of this one before.
    func announceChange(of key: Key, log: WriteLog) {
        guard let queue, announcing != nil else { return }
        let isAwaited = policy.debounce == nil
        if isAwaited { log.hold() }
        let telling = WriteLane.Telling {
            let failure = await tell(.key(key))
            if let failure { observer?(.write(failure, key: key)) }
            return failure
        } completion: { failure in
            log.release(adding: failure, isHeld: isAwaited)
        }
        queue.follow(key, with: telling)
    }
}
