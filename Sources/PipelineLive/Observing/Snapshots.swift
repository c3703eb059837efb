import Pipeline

/// The values of one key as they change, each with its status: see `DataPipeline.snapshots(_:priority:)`.
///
/// A cell with the latest snapshot, not a queue: an observer that is slow skips what came between, and memory stays flat. The first snapshot
/// comes at once. No two neighbours are equal. The sequence never fails; it ends when the task is cancelled, when the pipelines are shut down,
/// and when a reload of the configuration removes the pipeline. Each iterator observes by itself.
public struct Snapshots: AsyncSequence, Sendable {
    private let begin: @Sendable () -> LiveObserver

    init(_ begin: @escaping @Sendable () -> LiveObserver) {
        self.begin = begin
    }

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator { Iterator(begin()) }

    /// Observes until it is released.
    public struct Iterator: AsyncIteratorProtocol {
        private let observer: LiveObserver

        init(_ observer: LiveObserver) {
            self.observer = observer
        }

        /// The next snapshot; nil at the end.
        public mutating func next() async -> Snapshot? { await observer.next() }
    }
}

/// One observer of a key.
final class LiveObserver: Sendable {
    /// Nil when everything had ended before.
    private let key: LiveKey?
    private let number: UInt64

    init(_ key: LiveKey?, priority: Priority?, patience: Duration? = nil) {
        self.key = key
        number = key?.enter(priority, patience: patience) ?? 0
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
