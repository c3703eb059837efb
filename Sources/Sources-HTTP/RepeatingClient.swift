import AsyncHTTPClient
import NIOCore

/// A client with kept connections, and one that opens a connection for each request.
///
/// A server may close a kept connection at any moment, also just when a request is on its way to it: the request was never read then.
struct RepeatingClient: Sendable {
    let pooled: HTTPClient
    let fresh: HTTPClient
    /// Whether many requests may be under way on one connection, which then ends for all of them.
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

    /// Waits until both are shut down.
    func shutdown() async {
        // It fails only when it was shut down before.
        try? await pooled.shutdown()
        try? await fresh.shutdown()
    }

    /// Whether the server most likely never read the request. ``FirstByteWatch`` says so of requests that were sent; the other errors mean that
    /// a kept connection was gone before the request could be written to it.
    private func wasLost(_ error: any Error) -> Bool {
        switch error {
        case let error as LostConnection: error.mayRepeat
        // A stream of HTTP/2 ends like that at any time.
        case let error as HTTPClientError: error == .remoteConnectionClosed && !sharesConnections
        case ChannelError.ioOnClosedChannel: true
        default: false
        }
    }
}
