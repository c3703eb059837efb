import NIOCore
import NIOPosix
import NIOSSL
public import Pipeline
internal import PipelineConfig
public import PipelineLive
import PipelineSockets

/// A change source that a WebSocket server sends messages to (RFC 6455).
public final class WebSocketSource: LiveSource {
    private let settings: WebSocketSettings
    private let clock: PipelineClock
    private let trusted: TrustedCertificates?

    package init(_ settings: WebSocketSettings, clock: PipelineClock) {
        self.settings = settings
        self.clock = clock
        trusted = settings.trusted.map(TrustedCertificates.init)
    }

    /// The pauses between two attempts to connect.
    public var reconnecting: ReconnectPolicy { settings.reconnect }

    /// All fields but those that ``channel(for:)`` holds.
    public var sharedSettings: [any Hashable & Sendable]? {
        [settings.ready, settings.reconnect, settings.ping, settings.connectTimeout, settings.maxMessage, settings.trusted]
    }

    /// Keys with the same URL, header fields and messages to send share a connection.
    ///
    /// Throws a `SourceError` when a parameter cannot stand where the file has it.
    public func channel(for key: Key) throws -> String { try settings.opening(for: key).channel }

    /// Connects, and reports each text message until the connection ends.
    public func listen(for key: Key, to listener: LiveListener) async throws -> LiveEnding {
        try await run(settings.opening(for: key), settings, isTrial: false, listener)
    }

    /// Makes the handshake, sends the messages of `subscribe`, waits for `ready`, and closes the connection.
    ///
    /// Where parameters stand in `subscribe` the handshake alone is made; where they stand in the URL or a header field only the connection is
    /// tried, TLS included, and where they stand in the host nothing.
    public func check() async throws -> Reachability {
        guard !settings.url.hostDependsOnKey else { return .untried("its host depends on a parameter") }
        let opening = try settings.opening(for: Key(pipeline: "check"))
        guard settings.handshakeIsConstant else {
            let tls = try opening.url.scheme == .https ? trusted?.configuration() : nil
            try await TrialConnection.open(
                to: opening.url, tls: tls, limit: settings.connectTimeout, words: ConnectionFailure(opening.url, plain: "ws"))
            return .reachable
        }
        let isWhole = settings.subscribe.allSatisfy(\.isConstant)
        let (trial, limits) = isWhole ? (opening, settings) : (opening.withoutMessages, settings.withoutReady)
        return try await run(trial, limits, isTrial: true, LiveListener { _ in }).reachability()
    }

    private func run(
        _ opening: Opening, _ settings: WebSocketSettings, isTrial: Bool, _ listener: LiveListener
    ) async throws -> LiveEnding {
        try Task.checkCancellation()
        let descriptor = try DescriptorBudget.process.take(for: .feed)
        // Reads the machine's certificates, so not for plain connections.
        let context =
            opening.url.scheme == .https ? try NIOSSLContext(configuration: trusted?.configuration() ?? .client) : nil
        let eventLoop = HostLoops.live.group(for: opening.url).next()
        let ended = eventLoop.makePromise(of: LiveEnding.self)
        let session = NIOLoopBoundBox.makeBoxSendingValue(
            Session(opening, settings: settings, clock: clock, isTrial: isTrial, listener: listener, ended: ended), eventLoop: eventLoop)
        eventLoop.execute { session.value.start(context, descriptor) }
        return try await withTaskCancellationHandler {
            try await ended.futureResult.get()
        } onCancel: {
            eventLoop.execute { session.value.cancel() }
        }
    }
}
