import AsyncHTTPClient
import NIOCore
import NIOHTTPCompression
import Synchronization

/// The clients of the process, made at first use and shut down with their last user.
///
/// Sources share connections: one client serves all sources with the same limit for a body. (The limit belongs to the client
/// since its decompression has to stop there; in most processes there is one.) A client that is never given back stays here until
/// the process ends.
final class SharedClients: Sendable {
    static let process = SharedClients()

    /// The longest time to open a connection, TLS included.
    static let connectTimeout = Duration.seconds(10)

    private struct Shared {
        let client: HTTPClient
        var users: Int
    }

    private let state = Mutex<[Int: Shared]>([:])

    /// The client that decompresses bodies of up to `limit` bytes. Every call needs its ``giveBack(limit:)``.
    func take(limit: Int) -> HTTPClient {
        state.withLock { clients in
            var shared = clients[limit] ?? Shared(client: Self.makeClient(limit: limit), users: 0)
            shared.users += 1
            clients[limit] = shared
            return shared.client
        }
    }

    /// Ends one use; the last one shuts the client down.
    func giveBack(limit: Int) async {
        let unused: HTTPClient? = state.withLock { clients in
            clients[limit]?.users -= 1
            guard let shared = clients[limit], shared.users == 0 else { return nil }
            clients[limit] = nil
            return shared.client
        }
        // It fails only when it was shut down before.
        try? await unused?.shutdown()
    }

    private static func makeClient(limit: Int) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .enabled(limit: .size(limit))
        configuration.timeout.connect = .nanoseconds(connectTimeout.components.seconds * 1_000_000_000)
        // A refused connection is an answer for the next tier, not a reason to wait.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        // Shorter than the servers' own limits (5 s in Node), so that a request seldom meets a connection that is just being closed.
        configuration.connectionPool.idleTimeout = .seconds(4)
        return HTTPClient(configuration: configuration)
    }
}
