import Pipeline
import Synchronization

@testable import SourcesRedis

/// What a source hears, in a task that ends with ``stop()``.
final class Ear: Sendable {
    private let received = Mutex<[SubscriptionEvent]>([])
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ source: RedisSource) {
        let task = Task { await source.subscribe { event in self.received.withLock { $0.append(event) } } }
        self.task.withLock { $0 = task }
    }

    var events: [SubscriptionEvent] { received.withLock { $0 } }

    /// Waits until `count` events have been heard; gives them all.
    func events(atLeast count: Int) async throws -> [SubscriptionEvent] {
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
