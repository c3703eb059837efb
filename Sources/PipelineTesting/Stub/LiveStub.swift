public import Pipeline
public import PipelineLive
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
    /// Indicates whether a new connection goes on where the last one ended.
    public let resumes: Bool
    /// The settings that stubs which share connections have in common.
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

    /// The number of connections that have not ended.
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

    /// The name of what the connection for `key` depends on.
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

/// One connection of a ``LiveStub``. The test is the server: it says when the stream begins, what comes, and how it ends.
///
/// What it reports is with the pipeline when the call returns. An ended connection reports nothing more.
public final class LiveStubConnection: Sendable {
    /// The key that the connection was asked for. Others may share it.
    public let key: Key
    private let listener: LiveListener
    private let ending = Mutex<Result<LiveEnding, any Error>?>(nil)
    private let ended = Gate()

    init(key: Key, listener: LiveListener) {
        self.key = key
        self.listener = listener
    }

    /// The id of the last event of an earlier connection, as the pipeline passed it on; nil for none.
    public var position: String? { listener.position }

    /// Indicates whether neither the test has ended the connection nor the pipeline has left it.
    public var isOpen: Bool { ending.withLock { $0 == nil } }

    /// Indicates whether the pipeline left the connection: its task was cancelled.
    public var isCancelled: Bool {
        ending.withLock { ending in
            guard case .failure(let error) = ending else { return false }
            return error is CancellationError
        }
    }

    /// Begins the stream.
    public func begin() { report { $0.begin() } }

    /// Sends a message with these bytes.
    public func send(_ payload: [UInt8], event: String? = nil) { report { $0.receive(LiveMessage(payload, event: event)) } }

    /// Sends a message with this text.
    public func send(_ text: String, event: String? = nil) { send(Array(text.utf8), event: event) }

    /// Sends a message without content, as a source that only signals does.
    public func signal() { report { $0.receive(.signal) } }

    /// Gives the last event this id.
    public func mark(_ position: String) { report { $0.mark(position) } }

    /// Sends a sign of life, such as a pong.
    public func showAlive() { report { $0.showAlive() } }

    /// Sends something that is no message.
    public func skip(_ reason: String) { report { $0.skip(reason) } }

    /// The server asks for pauses from `base` on.
    public func setBase(_ base: Duration) { report { $0.setBase(base) } }

    /// Loads the values of the connection's keys again, as a source that polls does, and returns when that is done.
    public func refresh() async throws { try await listener.refresh() }

    /// Ends the connection so. Ending it twice is ending it once.
    public func end(_ ending: LiveEnding) { finish(.success(ending)) }

    /// The source throws `error`.
    public func fail(_ error: SourceError) { finish(.failure(error)) }

    /// Returns when the connection has ended. Throws `CancellationError` when the calling task is cancelled.
    public func waitForEnd() async throws { try await ended.wait() }

    /// Waits for the end of the connection, and returns how it ended. When the task is cancelled before, that ends it.
    func waitForEnding() async throws -> LiveEnding {
        do {
            try await ended.wait()
        } catch {
            finish(.failure(error))
            throw error
        }
        guard let ending = ending.withLock({ $0 }) else { throw CancellationError() }
        return try ending.get()
    }

    private func finish(_ end: Result<LiveEnding, any Error>) {
        ending.withLock { if $0 == nil { $0 = end } }
        ended.open()
    }

    private func report(_ report: (LiveListener) -> Void) {
        if isOpen { report(listener) }
    }
}
