import AsyncHTTPClient
import NIOCore
import NIOPosix
internal import Pipeline
import PipelineSockets
import Synchronization

/// The clients of the process, made at first use and shut down with their last user.
///
/// Sources share connections: one client serves all sources with the same way and the same loop for their hosts. A client that is never given
/// back stays here until the process ends.
final class SharedClients: Sendable {
    static let process = SharedClients()

    /// The longest time to open a connection, the lookup of the name and TLS included.
    static let connectTimeout = Duration.seconds(10)

    /// What makes two uses share a client.
    struct Kind: Hashable {
        let loop: ObjectIdentifier
        let route: Route
        /// Whether HTTP/2 is spoken with servers that choose it.
        let maySpeakHTTP2: Bool
        /// How long a connection is kept that no request uses.
        let idleLimit: Duration

        init(group: MultiThreadedEventLoopGroup, route: Route, maySpeakHTTP2: Bool, idleLimit: Duration) {
            self.route = route
            self.maySpeakHTTP2 = maySpeakHTTP2
            self.idleLimit = idleLimit
            loop = ObjectIdentifier(group)
        }
    }

    private struct Shared {
        let client: RepeatingClient
        var users: Int
    }

    private let state = Mutex<[Kind: Shared]>([:])

    /// The client of `kind`, on the loops of its `group`. Every call needs its ``giveBack(_:)``.
    func take(_ kind: Kind, group: MultiThreadedEventLoopGroup) -> RepeatingClient {
        state.withLock { clients in
            var shared = clients[kind] ?? Shared(client: Self.makeClient(kind, group: group), users: 0)
            shared.users += 1
            clients[kind] = shared
            return shared.client
        }
    }

    /// Ends one use; the last one shuts the client down.
    func giveBack(_ kind: Kind) async {
        let unused: RepeatingClient? = state.withLock { clients in
            clients[kind]?.users -= 1
            guard let shared = clients[kind], shared.users == 0 else { return nil }
            clients[kind] = nil
            return shared.client
        }
        await unused?.shutdown()
    }

    private static func makeClient(_ kind: Kind, group: MultiThreadedEventLoopGroup) -> RepeatingClient {
        let pooled = configuration(kind)
        var fresh = pooled
        fresh.maximumUsesPerConnection = 1
        return RepeatingClient(
            pooled: HTTPClient(eventLoopGroup: group, configuration: pooled),
            fresh: HTTPClient(eventLoopGroup: group, configuration: fresh),
            sharesConnections: kind.maySpeakHTTP2)
    }

    private static func configuration(_ kind: Kind) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(tlsConfiguration: .client)
        configuration.redirectConfiguration = .disallow
        // Bodies are decoded where they are read.
        configuration.decompression = .disabled
        configuration.timeout.connect = .nanoseconds(connectTimeout.components.seconds * 1_000_000_000)
        // A refused connection is an answer for the next tier, not a reason to wait.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Requests wait for a permit of their origin's controller, never here: its highest limit, and one more for what is urgent. All origins
        // behind a proxy that forwards are one host to the client.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = kind.route.isForward ? Int(Int32.max) : 257
        configuration.connectionPool.idleTimeout = .nanoseconds(kind.idleLimit.saturatedNanoseconds)
        configuration.httpVersion = kind.maySpeakHTTP2 ? .automatic : .http1Only
        configuration.http2ConnectionDebugInitializer = { ConnectionWatch.watchConnection($0) }
        configuration.http2StreamChannelDebugInitializer = { StreamGuard.guardStream($0) }
        // Called for each connection, before its first request.
        configuration.http1_1ConnectionDebugInitializer = { [isForward = kind.route.isForward] channel in
            AnswerGuard.guardConnection(channel, toProxy: isForward)
        }
        configuration.proxy = kind.route.clientProxy
        return configuration
    }
}
