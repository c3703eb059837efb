public import Pipeline
import Synchronization

/// A change source for tests: the test plays the server, connection by connection.
///
/// ```swift
/// let events = LiveStub()
/// let friends = try DataPipeline(PipelineSpec("friends", tiers: [TierSpec(api)], live: [FeedSpec(SourceSpec("events", events))]))
/// …
/// let connection = try await events.connection(1)
/// connection.begin()
/// connection.send(#"{"id": 7}"#)
/// connection.end(LiveEnding(.lost, "closed by the server"))
/// let second = try await events.connection(2)
/// ```
///
/// A connection that the test never begins stays `connecting`; one that it ends before ``LiveStubConnection/begin()`` was refused.
public final class LiveStub: LiveSource {
    private struct State {
        var connections: [LiveStubConnection] = []
        var observers = CountObservers()
    }

    /// The pauses between two attempts to connect.
    public let reconnecting: ReconnectPolicy
    /// Whether a new connection goes on where the last one ended.
    public let resumes: Bool
    /// What stubs that share connections have in common.
    public let sharedSettings: [any Hashable & Sendable]?
    private let nameChannel: @Sendable (Key) throws -> String
    private let state = Mutex(State())

    /// A change source that connects when asked, and then waits for the test.
    ///
    /// - Parameters:
    ///   - channel: keys with equal channels share a connection. Each key has its own unless told otherwise.
    ///   - sharedSettings: stubs with equal ones share the connections of equal channels, which the first of them has.
    public init(
        reconnecting: ReconnectPolicy = ReconnectPolicy(), resumes: Bool = false, sharedSettings: String? = nil,
        channel: @escaping @Sendable (Key) throws -> String = { "\($0)" }
    ) {
        self.reconnecting = reconnecting
        self.resumes = resumes
        self.sharedSettings = sharedSettings.map { [$0] }
        nameChannel = channel
    }

    /// Every connection so far, the ended ones too, in the order in which they were asked for.
    public var connections: [LiveStubConnection] { state.withLock(\.connections) }

    /// How many connections have not ended.
    public var openCount: Int { connections.count(where: \.isOpen) }

    /// The connection that was asked for as the `number`th, counted from 1. Waits until there is one; throws `CancellationError` when the
    /// task is cancelled before.
    public func connection(_ number: Int) async throws -> LiveStubConnection {
        let waiter = WaitingTask()
        state.withLock { $0.observers.add(waiter, waitingFor: number, present: $0.connections.count) }
        try await waiter.wait {
            state.withLock { $0.observers.remove(waiter) }
        }
        return connections[number - 1]
    }

    /// What the connection for `key` depends on.
    public func channel(for key: Key) throws -> String { try nameChannel(key) }

    /// Connects, and waits until the test ends the connection or the task is cancelled.
    public func listen(for key: Key, to listener: LiveListener) async throws -> LiveEnding {
        let connection = LiveStubConnection(key: key, listener: listener)
        let admitted = state.withLock { state -> [WaitingTask] in
            state.connections.append(connection)
            return state.observers.reached(state.connections.count)
        }
        admitted.admit()
        return try await connection.waitForEnding()
    }
}
