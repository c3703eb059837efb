import AsyncHTTPClient
import NIOCore
import NIOPosix
import Pipeline
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

    /// The settings that two uses of one client have in common.
    struct Kind: Hashable {
        let loop: ObjectIdentifier
        let route: Route
        /// Indicates whether HTTP/2 is spoken with servers that choose it.
        let maySpeakHTTP2: Bool
        /// The time for which a connection is kept that no request uses.
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

/// A client with kept connections, and one that opens a connection for each request.
///
/// A server may close a kept connection at any moment, also just when a request is on its way to it: the request was never read then.
struct RepeatingClient: Sendable {
    let pooled: HTTPClient
    let fresh: HTTPClient
    /// Indicates whether many requests may be under way on one connection, which then ends for all of them.
    let sharesConnections: Bool

    /// The answer to `request`. One that may be repeated (`mayRepeat`) and is lost on a reused connection before the first byte of its answer is sent
    /// again at once, on a new connection (RFC 9112, section 9.3.1).
    func execute(_ request: HTTPClientRequest, mayRepeat: Bool) async throws -> HTTPClientResponse {
        do {
            return try await pooled.execute(request, deadline: .distantFuture)
        } catch let error as HTTPClientError where error == .cancelled && !Task.isCancelled {
            // Its connection stopped taking requests just before this one could be written to it.
            return try await pooled.execute(request, deadline: .distantFuture)
        } catch  where mayRepeat && wasLost(error) && !Task.isCancelled {
            return try await fresh.execute(request, deadline: .distantFuture)
        }
    }

    /// The answer to `request`, which carries `ticket`, and so goes out at most once.
    ///
    /// A server may close a kept connection just when a request is on its way, and nobody knows then whether it read that. So a request
    /// that may not be repeated (`mayRepeat`) has a connection of its own; not in HTTP/2, where the server says which requests it did not
    /// read.
    func execute(_ request: HTTPClientRequest, with ticket: SendTicket, mayRepeat: Bool) async throws -> HTTPClientResponse {
        do {
            return try await (mayRepeat || sharesConnections ? pooled : fresh).execute(request, deadline: .distantFuture)
        } catch  where isTooLate(error) && !ticket.isUsed && !Task.isCancelled {
            return try await (sharesConnections ? pooled : fresh).execute(request, deadline: .distantFuture)
        }
    }

    /// Waits until both are shut down.
    func shutdown() async {
        // It fails only when it was shut down before.
        try? await pooled.shutdown()
        try? await fresh.shutdown()
    }

    /// Indicates whether the server most likely never read the request. ``FirstByteWatch`` says so of requests that were sent; the other
    /// errors mean that a kept connection was gone before the request could be written to it.
    private func wasLost(_ error: any Error) -> Bool {
        switch error {
        case let error as LostConnection: error.mayRepeat
        // A stream of HTTP/2 ends like that at any time.
        case let error as HTTPClientError: error == .remoteConnectionClosed && !sharesConnections
        case ChannelError.ioOnClosedChannel: true
        default: false
        }
    }

    /// Indicates whether the connection stopped taking requests just before this one came to it.
    private func isTooLate(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .cancelled
        case ChannelError.ioOnClosedChannel: true
        default: false
        }
    }
}

/// One source's use of shared clients: each taken at the first request to its hosts, all given back once.
final class ClientLease: Sendable {
    private enum State {
        case open([SharedClients.Kind: RepeatingClient])
        case closed
    }

    private let proxy: ProxyAddress?
    private let maySpeakHTTP2: Bool
    private let idleLimit: Duration
    private let state = Mutex(State.open([:]))

    init(for settings: HTTPSettings) {
        proxy = settings.proxy
        maySpeakHTTP2 = settings.maySpeakHTTP2
        idleLimit = settings.idleLimit
    }

    /// The client for requests to `url`; throws when the lease was closed.
    func client(for url: HTTPURL) throws -> RepeatingClient {
        let route = Route(to: url, through: proxy)
        let group = HostLoops.process.group(for: route.address(for: url))
        let kind = SharedClients.Kind(
            group: group, route: route, maySpeakHTTP2: maySpeakHTTP2, idleLimit: idleLimit)
        return try state.withLock { state in
            guard case .open(var clients) = state else { throw SourceError("the source is closed") }
            if let client = clients[kind] { return client }
            let client = SharedClients.process.take(kind, group: group)
            clients[kind] = client
            state = .open(clients)
            return client
        }
    }

    var isClosed: Bool {
        state.withLock { if case .closed = $0 { true } else { false } }
    }

    /// Gives the clients back. Closing again does nothing.
    func close() async {
        let taken: [SharedClients.Kind] = state.withLock { state in
            defer { state = .closed }
            return if case .open(let clients) = state { Array(clients.keys) } else { [] }
        }
        for kind in taken { await SharedClients.process.giveBack(kind) }
    }
}
