#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
import NIOCore
import NIOPosix
import NIOSSL
import Pipeline
import PipelineConfig
import PipelineSockets

/// Opens connections.
struct Connector: Sendable {
    /// The number of bytes that the system takes and has not sent yet.
    private static let mostUnsent = 128 << 10

    let settings: RedisSettings
    let clock: PipelineClock
    var random = RandomGenerator.system

    /// A connection on which the server has answered: with TLS, authenticated, in its database. Throws within the time limit.
    func connect(_ observer: CommandHandler.Observer = CommandHandler.Observer()) async throws -> Connection {
        try await clock.race(
            until: clock.now + settings.timeout, late: { [settings] in throw settings.late }, dropping: { await $0.close() }
        ) {
            do {
                return try await open(observer)
            } catch {
                throw error is CancellationError ? error : settings.url.error(for: error)
            }
        }
    }

    private func open(_ observer: CommandHandler.Observer) async throws -> Connection {
        let context = try tlsContext()
        let descriptor = try DescriptorBudget.process.take()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let connection = try await ClientBootstrap(group: loop)
            .resolver(HostResolver(on: loop))
            .connect(host: settings.url.hostToResolve, port: settings.url.port) { [settings, clock] channel in
                // What waits is to wait where its progress can be seen. Left as it is where the system does not know the option.
                _ = channel.setOption(.socket(IPPROTO_TCP, TCP_NOTSENT_LOWAT), value: Self.mostUnsent)
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context {
                        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: settings.url.serverName))
                    }
                    guard let reader = ReplyReader() else { throw SourceError("out of memory") }
                    let backlog = Backlog()
                    let handler = CommandHandler(settings, clock: clock, reader: reader, backlog: backlog, observer: observer)
                    try pipeline.addHandler(handler)
                    return Connection(
                        channel: channel, settings: settings, clock: clock, sender: CommandSender(handler, in: channel.eventLoop),
                        backlog: backlog)
                }
            }
        // Of several addresses only one connection is kept.
        connection.channel.closeFuture.whenComplete { _ in descriptor.giveBack() }
        do {
            // All at once; the last one shows that the server answers.
            let greeting = greeting.map(connection.submit)
            let sign = connection.submit(.ping)
            for waiter in greeting { _ = try await connection.reply(of: waiter) }
            try await connection.expectAnswer(to: sign)
            return connection
        } catch {
            // The other end may take its time.
            connection.channel.close(promise: nil)
            throw error
        }
    }

    /// The commands that must have been sent before anything else.
    private var greeting: [Command] {
        var commands: [Command] = []
        if let password = settings.url.password {
            commands.append(Command(["AUTH"] + [settings.url.user, password].compactMap { $0.map(Command.Argument.text) }))
        }
        if settings.url.database != 0 { commands.append(Command("SELECT", .text("\(settings.url.database)"))) }
        return commands
    }

    /// The context of TLS; nil for a connection without it. Reads certificates from the disk.
    private func tlsContext() throws -> NIOSSLContext? {
        guard settings.url.isSecure else { return nil }
        var configuration = TLSConfiguration.makeClientConfiguration()
        // RFC 8996 retires what came before.
        configuration.minimumTLSVersion = .tlsv12
        guard let path = settings.caFile?.path else { return try NIOSSLContext(configuration: configuration) }
        do {
            configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw SourceError("cannot read the certificates in \(path.shortened)", cause: error)
        }
    }
}

extension RedisURL {
    /// The host as TLS names it; nil for an address, which has no name.
    fileprivate var serverName: String? {
        (try? SocketAddress(ipAddress: hostToResolve, port: port)) == nil ? hostToResolve : nil
    }
}
