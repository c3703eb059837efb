import PipelineTesting
import Synchronization

@testable import Pipeline

/// An origin of users by their ids, which it reads one by one or several at once. Keeps what it was asked for.
final class BatchStub: Source {
    struct State {
        var calls: [[String]] = []
        var cancelled = 0
        /// What the next calls throw.
        var failures: [SourceError] = []
        var absent: Set<String> = []
        var broken: Set<String> = []
        var priorities: [Priority] = []
    }

    let batching: Batching?
    let style: ReadStyle
    private let shared: Shared

    /// What both ways to read have in common.
    final class Shared: Sendable {
        let state = Mutex(State())
        let gate = Mutex<Gate?>(nil)
        let clock: PipelineClock

        init(clock: PipelineClock) { self.clock = clock }

        func read(_ keys: [Key], _ context: ReadContext) async throws -> [Result<Entry?, any Error>] {
            let failure = state.withLock { state -> SourceError? in
                state.calls.append(keys.map { $0["id"] ?? $0.text })
                state.priorities.append(context.priority)
                return state.failures.isEmpty ? nil : state.failures.removeFirst()
            }
            do {
                try await gate.withLock { $0 }?.wait()
            } catch {
                state.withLock { $0.cancelled += 1 }
                throw error
            }
            if let failure { throw failure }
            let (absent, broken) = state.withLock { ($0.absent, $0.broken) }
            return keys.map { key in
                let id = key["id"] ?? ""
                if broken.contains(id) { return .failure(SourceError("twice", kind: .invalid)) }
                if absent.contains(id) { return .success(.notFound(created: clock.now)) }
                return .success(Entry(Array("\"\(id)\"".utf8), created: clock.now))
            }
        }
    }

    init(
        _ time: ManualClock, of parameter: String? = "id", most: Int = 50, window: Duration = .zero, style: ReadStyle = .suspending,
        ignoring ignored: Int = 0
    ) {
        let shared = Shared(clock: time.clock)
        self.shared = shared
        self.style = style
        batching = Batching(of: parameter, most: most, window: window) { keys, context in
            // The answer of a server is in any order; what counts is that each key gets its own.
            BatchAnswer(try await shared.read(keys, context), ignored: ignored)
        }
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { try await shared.read([key], context)[0].get() }

    /// The ids of each call, in the order of the calls.
    var calls: [[String]] { shared.state.withLock(\.calls) }
    var cancelledCount: Int { shared.state.withLock(\.cancelled) }
    var priorities: [Priority] { shared.state.withLock(\.priorities) }

    func change(_ body: (inout State) -> Void) { shared.state.withLock { body(&$0) } }

    /// Calls wait until the gate that this returns is open.
    func hold() -> Gate {
        let gate = Gate()
        shared.gate.withLock { $0 = gate }
        return gate
    }
}

/// A cache that reads several keys at once, and keeps which.
final class BatchCache: WritableSource {
    private let stub: StubSource
    private let read: Shared

    final class Shared: Sendable {
        let calls = Mutex<[[String]]>([])
        let fails = Mutex(false)
    }

    let batching: Batching?

    init(_ stub: StubSource, most: Int = 100) {
        self.stub = stub
        let read = Shared()
        self.read = read
        batching = Batching(of: nil, most: most) { keys, context in
            read.calls.withLock { $0.append(keys.map { $0["id"] ?? $0.text }) }
            if read.fails.withLock({ $0 }) { throw SourceError("away") }
            var results: [Result<Entry?, any Error>] = []
            for key in keys { results.append(await Result { try await stub.read(key, context) }) }
            return BatchAnswer(results)
        }
    }

    var calls: [[String]] { read.calls.withLock { $0 } }
    func fail() { read.fails.withLock { $0 = true } }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        read.calls.withLock { $0.append([key["id"] ?? key.text]) }
        return try await stub.read(key, context)
    }

    func write(_ entry: Entry, for key: Key) async throws { try await stub.write(entry, for: key) }
    func remove(_ key: Key) async throws { try await stub.remove(key) }
    func clear(pipeline: String) async throws { try await stub.clear(pipeline: pipeline) }
}
