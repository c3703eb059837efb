import Synchronization

extension WriteQueue {
    /// The keys of which a write is under way.
    func writtenKeys(where isMeant: (Key) -> Bool) -> [Key] {
        state.withLock { state in state.lanes.filter { isMeant($0.key) && $0.value.isWriting }.map(\.key) }
    }

    /// Has `work` done when the write of `key` that was scheduled last has ended, whatever became of it; at once when there is none.
    ///
    /// A flush waits for it, too.
    func follow(_ key: Key, _ work: @escaping @Sendable () async -> Void) {
        // Ends with its work; cancelled when the pipelines end before.
        following.adopt(
            Task {
                try? await endOfLastWrite(of: key)
                await work()
            })
    }

    /// Has other processes told of `key` when its last change has ended for good, or one that took its place; at once when there is none.
    ///
    /// A flush waits for it, too. However many tellings are asked for while a change is under way, there is one for it, and one for the
    /// change that waits behind it.
    func follow(_ key: Key, with telling: WriteLane.Telling) {
        change(key) { $0.follow(with: telling) }
    }

    /// Tells, and tells what was asked for meanwhile.
    func tell(_ telling: WriteLane.Telling, of key: Key) {
        // Ends with the last telling; cancelled when the pipelines end before.
        following.adopt(
            Task {
                var next: WriteLane.Telling? = telling
                while let telling = next {
                    let failure = await telling.tell()
                    for completion in telling.completions { completion(failure) }
                    next = nextTelling(of: key)
                }
            })
    }

    private func nextTelling(of key: Key) -> WriteLane.Telling? {
        state.withLock { state in
            var next: WriteLane.Telling?
            _ = Self.change(key, in: &state) { lane in
                next = lane.hasTold()
                return []
            }
            return next
        }
    }

    /// Waits until the write of `key` that was scheduled last, or one that took its place, has ended or is put off.
    private func endOfLastWrite(of key: Key) async throws {
        guard let hasEnded = state.withLock({ $0.lanes[key]?.endOfLastWrite }) else { return }
        try await settle(where: { $0 == key }, isSettled: hasEnded)
    }
}
