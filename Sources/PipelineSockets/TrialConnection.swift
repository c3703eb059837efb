import NIOCore
import NIOPosix
package import NIOSSL
import NIOTLS
import Pipeline

/// A connection that is opened to see whether it can be, and closed at once.
package enum TrialConnection {
    /// Connects to the host of `url` within `limit`, and greets it where the scheme is `https`. Sends nothing else.
    package static func open(
        to url: HTTPURL, tls: TLSConfiguration?, limit: Duration, words: ConnectionFailure? = nil
    ) async throws {
        let words = words ?? ConnectionFailure(url)
        let group = HostLoops.process.group(for: url)
        let promise = group.next().makePromise(of: Void.self)
        do {
            // Reads the machine's certificates, so not for plain connections.
            let context = url.scheme == .https ? try NIOSSLContext(configuration: tls ?? .client) : nil
            ClientBootstrap(group: promise.futureResult.eventLoop)
                .resolver(HostResolver(on: promise.futureResult.eventLoop))
                .connectTimeout(.nanoseconds(limit.saturatedNanoseconds))
                .channelInitializer { channel in
                    promise.futureResult.whenComplete { _ in channel.close(promise: nil) }
                    return channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if let context { try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: url.serverName)) }
                        try pipeline.addHandler(Greeting(isSecure: context != nil, promise: promise))
                    }
                }
                .connect(host: url.hostToResolve, port: url.port)
                .whenFailure { promise.fail($0) }
        } catch {
            promise.fail(error)
        }
        do {
            // The promise keeps its first result: a caller who leaves does not wait for the connection, which is closed then.
            try await withTaskCancellationHandler {
                try await promise.futureResult.get()
            } onCancel: {
                promise.fail(CancellationError())
            }
        } catch {
            if Task.isCancelled || error is CancellationError { throw CancellationError() }
            throw words.error(for: error)
        }
    }
}

/// Fulfils its promise when the connection stands: with TLS after the handshake.
private final class Greeting: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let isSecure: Bool
    private let promise: EventLoopPromise<Void>

    init(isSecure: Bool, promise: EventLoopPromise<Void>) {
        self.isSecure = isSecure
        self.promise = promise
    }

    func channelActive(context: ChannelHandlerContext) {
        if !isSecure { promise.succeed() }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            if let problem = NamelessCertificate.problem(on: context.channel) { promise.fail(problem) } else { promise.succeed() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
