/// The values of one key as they change, each with its status: see ``DataPipeline/snapshots(_:priority:)-(Key,_)``.
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
