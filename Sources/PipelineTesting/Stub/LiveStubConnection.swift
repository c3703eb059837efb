public import Pipeline
import Synchronization

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

    /// Whether neither the test has ended the connection nor the pipeline has left it.
    public var isOpen: Bool { ending.withLock { $0 == nil } }

    /// Whether the pipeline left the connection: its task was cancelled.
    public var isCancelled: Bool {
        ending.withLock { ending in
            guard case .failure(let error) = ending else { return false }
            return error is CancellationError
        }
    }

    /// The stream begins.
    public func begin() { report { $0.begin() } }

    /// A message with these bytes comes.
    public func send(_ payload: [UInt8], event: String? = nil) { report { $0.receive(LiveMessage(payload, event: event)) } }

    /// A message with this text comes.
    public func send(_ text: String, event: String? = nil) { send(Array(text.utf8), event: event) }

    /// A message without content comes, as those of a source that only signals.
    public func signal() { report { $0.receive(.signal) } }

    /// The last event has this id.
    public func mark(_ position: String) { report { $0.mark(position) } }

    /// A sign of life comes, such as a pong.
    public func showAlive() { report { $0.showAlive() } }

    /// Something comes that is no message.
    public func skip(_ reason: String) { report { $0.skip(reason) } }

    /// The server asks for pauses from `base` on.
    public func setBase(_ base: Duration) { report { $0.setBase(base) } }

    /// Loads the values of the connection's keys again, as a source that polls does, and returns when that is done.
    public func refresh() async throws { try await listener.refresh() }

    /// The connection ends so. Ending it twice is ending it once.
    public func end(_ ending: LiveEnding) { finish(.success(ending)) }

    /// The source throws `error`.
    public func fail(_ error: SourceError) { finish(.failure(error)) }

    /// Returns when the connection has ended. Throws `CancellationError` when the calling task is cancelled.
    public func waitForEnd() async throws { try await ended.wait() }

    /// How it ended. When the task is cancelled before, that ends it.
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
