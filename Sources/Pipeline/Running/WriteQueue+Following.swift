import Synchronization

extension WriteQueue {
    /// The keys of which a write is under way.
    func writtenKeys(where isMeant: (Key) -> Bool) -> [Key] {
        state.withLock { state in state.lanes.filter { isMeant($0.key) && $0.value.isWriting }.map(\.key) }
    }

    /// Has `work` done when the write of `key` that was scheduled last has ended, whatever became of it; at once when there is none.
    ///
    /// A flush waits for it, too.
    ///
    /// - Parameter isShared: whether it is enough that it is done once for all who ask before the write has begun.
    func follow(_ key: Key, isShared: Bool = false, _ work: @escaping @Sendable () async -> Void) {
        let (isShared, isFirst) = state.withLock { state in
            // Whoever follows the write that runs is done before the one that waits behind it.
            let isShared = isShared && state.lanes[key]?.isWriting != true
            return (isShared, !isShared || state.followed.insert(key).inserted)
        }
        guard isFirst else { return }
        // Ends with its work; cancelled when the pipelines end before.
        following.adopt(
            Task {
                try? await endOfLastWrite(of: key)
                if isShared { state.withLock { _ = $0.followed.remove(key) } }
                await work()
            })
    }

    /// Waits until the write of `key` that was scheduled last, or one that took its place, has ended or is put off.
    private func endOfLastWrite(of key: Key) async throws {
        guard let hasEnded = state.withLock({ $0.lanes[key]?.endOfLastWrite }) else { return }
        try await settle(where: { $0 == key }, isSettled: hasEnded)
    }
}
