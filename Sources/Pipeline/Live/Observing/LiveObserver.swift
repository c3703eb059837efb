/// One observer of a key.
final class LiveObserver: Sendable {
    /// Nil when everything had ended before.
    private let key: LiveKey?
    private let number: UInt64

    init(_ key: LiveKey?, priority: Priority?) {
        self.key = key
        number = key?.enter(priority) ?? 0
    }

    deinit {
        key?.leave(number)
    }

    /// The next snapshot that differs from the last one. Nil at the end, and when the task is cancelled.
    func next() async -> Snapshot? {
        while let key, !Task.isCancelled {
            switch key.next(of: number) {
            case .snapshot(let snapshot): return snapshot
            case .ended: return nil
            case .outdated: key.renewPartFeeds()
            case .waiting(let race): guard (try? await race.value()) != nil else { return nil }
            }
        }
        return nil
    }
}
