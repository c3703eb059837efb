import AsyncHTTPClient
import NIOCore
import NIOHTTP2
import NIOPosix
import Pipeline
import PipelineConfig
import PipelineNetwork
import PipelineSockets

/// The rule for whether and when a request that failed is sent again, as far as the failure decides it (RFC 9110, section 9.2.2).
struct Repetition: Sendable {
    /// Indicates whether asking twice is the same as asking once.
    let isAllowed: Bool
    /// The controller of the origin that failed: its budget pays for each retry.
    let controller: OriginController
    /// The sender of the request.
    let asker: RequestAsker
    /// The share of the budget, for the words when it is used up.
    let budget: Double

    /// The least first pause after an answer that says that there were too many requests.
    private static let base = Duration.seconds(1)

    /// The advice for an answer that is no value.
    ///
    /// - Parameter asked: when the server wants to be asked again; nil if it does not say.
    func advice(status: Int, asked: Timestamp?) -> RetryAdvice {
        switch status {
        case 429, 503:
            return isAllowed || asked != nil ? later(notBefore: asked, base: Self.base) : .never()
        case 408, 425: return isAllowed || asked != nil ? later(notBefore: asked) : .never()
        case 501, 505: return .never()
        case 500...: return lost
        default: return .never()
        }
    }

    /// The advice if no complete answer came.
    func advice(for cause: any Error) -> RetryAdvice {
        switch Progress(of: cause) {
        case .none: RetryAdvice.atOnce(refusal: refusal).givingBack(refund)
        case .unsent: later()
        case .sent: lost
        }
    }

    /// The advice after a failure of a request that may have been processed.
    var lost: RetryAdvice { isAllowed ? later() : .never() }

    /// The advice to retry, not before `asked`, and not while a rest holds the request back, whatever began that.
    private func later(notBefore asked: Timestamp? = nil, base: Duration = .zero) -> RetryAdvice {
        let moment = [asked, controller.restUntil(for: asker)].compactMap(\.self).max()
        return RetryAdvice.later(notBefore: moment, base: base, refusal: refusal).givingBack(refund)
    }

    private var refusal: @Sendable () -> String? {
        { [controller, budget] in
            controller.retryToken() ? nil : "no retry: the budget of \(budget.percent) is used up"
        }
    }

    private var refund: @Sendable () -> Void {
        { [controller] in controller.giveBackRetryToken() }
    }
}

extension Repetition {
    /// The point to which a request came that failed.
    enum Progress {
        /// The request surely was not processed, and that was known at once.
        case none
        /// The request was not sent, and that took its time.
        case unsent
        /// The request may have been processed.
        case sent

        private static let early: [HTTPClientError] = [.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout]

        init(of cause: any Error) {
            switch cause {
            case _ where ConnectionFailure.neverConnected(cause): self = .none
            // RFC 9113, section 8.7.
            case let error as NIOHTTP2Errors.StreamClosed where error.errorCode == .refusedStream: self = .none
            case let error as HTTPClientError where Self.early.contains(error): self = .unsent
            case is NIOConnectionError, ChannelError.connectTimeout: self = .unsent
            default: self = .sent
            }
        }
    }
}
