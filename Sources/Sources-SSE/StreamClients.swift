import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL
import PipelineSockets
import Synchronization

/// The clients for event streams, apart from those of fetches, which must not wait for a connection that a stream holds.
///
/// There is one for each loop of ``HostLoops``. They stay until the process ends; a stream that ends closes its connection.
final class StreamClients: Sendable {
    static let process = StreamClients()

    private let clients = Mutex<[ObjectIdentifier: HTTPClient]>([:])

    /// The client for streams from the host of `url`.
    func client(for url: HTTPURL) -> HTTPClient {
        let group = HostLoops.live.group(for: url)
        return clients.withLock { clients in
            let client = clients[ObjectIdentifier(group)] ?? HTTPClient(eventLoopGroup: group, configuration: Self.configuration)
            clients[ObjectIdentifier(group)] = client
            return client
        }
    }

    private static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(tlsConfiguration: .client)
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        // The idle time of the source ends an attempt before.
        configuration.timeout.connect = .hours(1)
        configuration.connectionPool.retryConnectionEstablishment = false
        // A stream holds its connection, so that one that waits for its turn would wait without end.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = .max
        configuration.maximumUsesPerConnection = 1
        // In HTTP/2 a status such as `-5` ends the process in swift-nio-http2, before a handler of ours could see it.
        configuration.httpVersion = .http1Only
        configuration.http1_1ConnectionDebugInitializer = HeadGuard.guardConnection
        return configuration
    }
}
