internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
package import Pipeline

/// The pipelines of one configuration behind HTTP/1.1.
///
/// A small server of our own on NIO, because what a client may do to it is decided on its connection: that it left is known while its
/// value is loaded, and each limit is a limit of one state.
package struct HTTPServer {
    private let service: ClientService
    private let table: ConnectionTable
    private let host: String
    private let port: Int
    private let say: @Sendable (String) -> Void

    /// - Parameters:
    ///   - table: gets the connections.
    ///   - say: tells people why connections have to wait.
    package init(
        _ service: ClientService, table: ConnectionTable, host: String, port: Int, saying say: @escaping @Sendable (String) -> Void
    ) {
        self.service = service
        self.table = table
        self.host = host
        self.port = port
        self.say = say
    }

    /// Serves until `stop` is settled. Answers that were begun then are written to their end, within the limit for that.
    ///
    /// - Parameter listening: gets the address of the server as soon as clients can connect.
    package func run(until stop: Race<Void>, listening: (String) -> Void) async throws {
        let gate = ListenerGate(to: table, service.limits, clock: service.clock, saying: say)
        let listener = try await listen(through: gate)
        table.whenRoom { gate.open(listener) }
        let port = listener.localAddress?.port ?? 0
        listening("http://\(host.contains(":") ? "[\(host)]" : host):\(port)")
        try? await stop.value()
        try? await listener.close()
        await table.drain(within: service.limits.drain, clock: service.clock)
    }

    private func listen(through gate: ListenerGate) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // As long as the system lets it be.
            .serverChannelOption(.backlog, value: .max)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // The gate is asked before each.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(gate) }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // A client that closed its end may still read: its answer is not cut.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [service, table] channel in
                channel.eventLoop.makeCompletedFuture { try Self.prepare(channel, service: service, table: table) }
            }
            .bind(host: host, port: port).get()
    }

    /// Has `channel` answer what comes on it.
    static func prepare(_ channel: any Channel, service: ClientService, table: ConnectionTable) throws {
        let connection = ClientConnection(channel, service: service, table: table)
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = service.limits.headBytes
        limits.maxHeaderListSize = service.limits.headBytes
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
        try channel.pipeline.syncOperations.addHandlers([ByteWatch(connection), ByteToMessageHandler(decoder), connection])
        table.enter(connection)
    }
}
