internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
package import Pipeline
internal import PipelineConfig

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

    /// Returns when each loop that answers clients has come to what waited for it.
    package static func turn() async throws {
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try await loop.submit {}.get() }
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

/// The limits that `serve` sets its clients, so that none of them holds up the others.
package struct ServerLimits {
    /// The time for the head of a request: for the first one from the connection on, for a later one from its first byte on.
    var head = Duration.seconds(10)
    /// The time for the body of a request that writes; one second more for each ``bodyRate`` bytes that have come.
    var body = Duration.seconds(30)
    var bodyRate = 16 * 1024
    /// The most bytes of the bodies of all requests at a time.
    var bodies = 64 * 1024 * 1024
    /// The time for which a connection may stay open while nothing moves on it: between two requests, or while a client does not read its
    /// answer.
    package var idle = Duration.seconds(60)
    /// The time that the client of an event stream may take for a piece of what there is: one that takes none keeps its text in memory.
    package var write = Duration.seconds(30)
    /// The time for which the server waits for the client's end of the connection after it closed its own: closed at once, the last answer
    /// could be lost.
    var linger = Duration.seconds(2)
    /// The time that an answer may still take after the client closed its end: it may only have ended its sending, and a quick answer still
    /// counts.
    var leaving = Duration.milliseconds(50)
    /// The time for which a stream may be silent before a comment shows that it lives.
    var silence = Duration.seconds(15)
    /// The time that answers which were begun may take after the server was told to stop.
    package var drain = Duration.seconds(10)
    /// The most bytes of a request's head.
    var headBytes = 80 * 1024
    /// The number of requests of one connection that may wait for their turn before no more is read from it.
    var pipelined = 32
    /// The most connections at a time: what the descriptors that the process may have leave for them.
    package var connections = DescriptorBudget.process.clients
    /// The time for which no connection is accepted after the system had no descriptor for one.
    var pause = Duration.seconds(1)
    /// The time for which a client whose request has not come, or whose last answer is on its way, keeps its place when others wait for it.
    static let grace = Duration.milliseconds(100)

    /// - Parameter connections: nil for as many as the system lets it have.
    package init(connections: Int? = nil) {
        if let connections { self.connections = connections }
    }
}

/// The service that all connections share: its responder, its limits, and its observers.
package struct ClientService: Sendable {
    let responder: PipelineResponder
    let limits: ServerLimits
    let hosts: HostRule
    let proxies: ProxyRule
    let log: RequestLog
    let room: BodyRoom
    var clock = PipelineClock.system

    package init(responder: PipelineResponder, limits: ServerLimits, hosts: HostRule, proxies: ProxyRule = ProxyRule(), log: RequestLog) {
        self.responder = responder
        self.limits = limits
        self.hosts = hosts
        self.proxies = proxies
        self.log = log
        room = BodyRoom(limit: limits.bodies)
    }

    /// The answer to what is no request that can be answered.
    func refusal(_ problem: ClientRequest.Problem) -> ServedAnswer {
        var answer = ServedAnswer.problem(problem.status, problem.message)
        answer.refusal = problem.message
        return answer
    }
}
