import AsyncHTTPClient
import NIOCore

extension RepeatingClient {
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

    /// Indicates whether the connection stopped taking requests just before this one came to it.
    private func isTooLate(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .cancelled
        case ChannelError.ioOnClosedChannel: true
        default: false
        }
    }
}
