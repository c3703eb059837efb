import Pipeline
import Synchronization

@testable import SourcesRedis

/// What a source hears, in a task that ends with ``stop()``.
final class Ear: Sendable {
    private let heard = Mutex<[HeardEvent]>([])
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ source: RedisSource) {
        let task = Task { await source.listen { event in self.heard.withLock { $0.append(event) } } }
        self.task.withLock { $0 = task }
    }

    var events: [HeardEvent] { heard.withLock { $0 } }

    /// Waits until `count` events have been heard; gives them all.
    func events(atLeast count: Int) async throws -> [HeardEvent] {
        try await eventually { self.events.count >= count ? self.events : nil }
    }

    /// Ends the listening, and returns when it has ended.
    func stop() async {
        let task = task.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    /// Returns when the listening has ended by itself.
    func ended() async { await task.withLock { $0 }?.value }
}
