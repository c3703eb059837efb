import Synchronization

extension WriteQueue {
    /// The keys of which a write is under way.
    func writtenKeys(where isMeant: (Key) -> Bool) -> [Key] {
        state.withLock { state in state.lanes.filter { isMeant($0.key) && $0.value.isWriting }.map(\.key) }
    }

    /// Does `work` when the last scheduled write of `key`, or the one that took its place, has ended or is put off; at once when there is none.
    ///
    /// A flush waits for it, too.
    func follow(_ key: Key, _ work: @escaping @Sendable () async -> Void) {
        // Ends with its work; cancelled when the pipelines end before.
        following.adopt(
            Task {
                if let hasEnded = state.withLock({ $0.lanes[key]?.endOfLastWrite }) {
                    try? await settle(isSettled: hasEnded) { _ in [key] }
                }
                await work()
            })
    }

    /// Publishes `message` when the last change of `key` has ended for good, or the one that took its place; at once when there is none.
    ///
    /// A flush waits for it, too. Messages that are asked for while a change is under way become one, and so do those that are asked for while
    /// another change waits behind it.
    func publish(_ message: ChangeMessage, afterChangesOf key: Key) {
        change([key]) { $0.publish(message) }
    }
}
