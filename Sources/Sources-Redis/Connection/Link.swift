import Pipeline
import Synchronization

/// One connection to the server that is opened at first use, and again after it was lost.
///
/// While the server is away every use fails at once; after a while, longer each time, one use tries again.
final class Link: Sendable {
    private let connector: Connector
    private let state: Mutex<LinkState>

    init(_ connector: Connector) {
        self.connector = connector
        state = Mutex(LinkState(random: connector.random))
    }

    /// The reply to a command, as ``Connection/reply(to:needing:until:)`` gives it.
    func reply(to command: Command, needing permission: Permission? = nil, until limit: Timestamp? = nil) async throws -> Reply {
        try Task.checkCancellation()
        return try await connection(until: limit).reply(to: command, needing: permission, until: limit)
    }

    /// The open connection. Throws when there is none and none can be had, and ``PastLimit`` when it is not open within `limit`.
    func connection(until limit: Timestamp? = nil) async throws -> Connection {
        switch state.withLock({ $0.ask(at: connector.clock.monotonic()) }) {
        case .use(let connection): return connection
        case .fail(let error): throw error
        case .wait(let waiter): return try await value(of: waiter, until: limit)
        case .connect(let waiter, let attempt):
            // Ends within the time limit of connecting; not with this caller, since others may wait for it, too.
            Task { await connect(attempt) }
            return try await value(of: waiter, until: limit)
        }
    }

    private func value(of waiter: LinkState.Waiter, until limit: Timestamp?) async throws -> Connection {
        try await waiter.value(until: limit, on: connector.clock)
    }

    /// Returns when the server has carried out everything that was sent before; where nothing is open, at once.
    func settle() async {
        guard case .open(let connection) = state.withLock(\.phase) else { return }
        try? await connection.ping()
    }

    /// Closes the connection for good. Commands that wait for a reply fail.
    func close() async {
        let (connection, waiters) = state.withLock { $0.close() }
        for waiter in waiters { waiter.finish(.failure(SourceError("the source is closed"))) }
        await connection?.close()
    }

    private func connect(_ attempt: Int) async {
        let observer = CommandHandler.Observer(ends: { [weak self] error in
            guard let self else { return }
            state.withLock { $0.end(attempt: attempt, with: error, at: self.connector.clock.monotonic()) }
        })
        let opened: Result<Connection, SourceError>
        do {
            opened = .success(try await connector.connect(observer))
        } catch {
            opened = .failure(connector.settings.url.error(for: error))
        }
        let (result, waiters, isKept) = state.withLock { $0.finish(opened, at: connector.clock.monotonic()) }
        for waiter in waiters { waiter.finish(result.mapError { $0 }) }
        if !isKept, case .success(let connection) = opened { await connection.close() }
    }
}
