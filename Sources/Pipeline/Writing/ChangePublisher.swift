import Synchronization

/// Publishes messages about the keys of one source: one at a time for each key, and one for all messages that come meanwhile.
final class ChangePublisher: Sendable {
    /// The message that comes next, for each key of which one is being published.
    private let next = Mutex<[Key: ChangeMessage?]>([:])

    /// Publishes `message` in one of `tasks`, at once or after the message of `key` that is being published.
    func publish(_ message: ChangeMessage, of key: Key, in tasks: BackgroundTasks) {
        let isFirst = next.withLock { next in
            guard let waiting = next[key] else {
                next.updateValue(nil, forKey: key)
                return true
            }
            var joined = waiting ?? message
            if waiting != nil { joined.join(message) }
            next.updateValue(joined, forKey: key)
            return false
        }
        guard isFirst else { return }
        // Ends with the last message of the key; cancelled when the pipelines end before.
        tasks.adopt(
            Task {
                var current: ChangeMessage? = message
                while let message = current {
                    let failure = await message.publish()
                    for completion in message.completions { completion(failure) }
                    current = takeNext(of: key)
                }
            })
    }

    private func takeNext(of key: Key) -> ChangeMessage? {
        next.withLock { next in
            guard let message = next[key] ?? nil else {
                next.removeValue(forKey: key)
                return nil
            }
            next.updateValue(nil, forKey: key)
            return message
        }
    }
}
