import PipelineTesting
import Synchronization
import TestSupport

@testable import Pipeline

/// An origin that answers when its gate opens, and keeps what its reads were told.
final class WatchedOrigin: Source {
    let gate = Gate()
    private let seen = Mutex<[ReadContext]>([])
    private let changes = Mutex<[Priority]>([])

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        let observation = context.load?.observe { priority in self.changes.withLock { $0.append(priority) } }
        defer { if let observation { context.load?.stopObserving(observation) } }
        seen.withLock { $0.append(context) }
        try await gate.wait()
        return Entry(Array("[1]".utf8), created: .distantPast)
    }

    /// The contexts of all reads.
    var contexts: [ReadContext] { seen.withLock { $0 } }

    /// What the last read was told of its priority, in order, after the first.
    var told: [Priority] { changes.withLock { $0 } }

    /// Returns when the last read has this priority.
    func waits(with priority: Priority) async throws {
        try await yieldUntil { contexts.last?.priority == priority }
    }
}
