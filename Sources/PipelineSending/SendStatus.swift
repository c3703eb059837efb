public import Pipeline
internal import PipelineJSON
import Synchronization

/// A send, as it is at one moment.
public struct SendStatus: Sendable, Equatable {
    package let row: SendRow
    /// The moment until which its target rests; nil if it does not.
    private let rest: Timestamp?

    package init(_ row: SendRow, restingUntil rest: Timestamp? = nil) { (self.row, self.rest) = (row, rest) }

    /// The id.
    public var id: String { row.id }
    /// The order among the sends of its outbox.
    public var number: Int64 { row.number }
    /// The name of its kind.
    public var send: String { row.name }
    /// The arguments.
    public var arguments: [String: String] { row.arguments }
    /// The payload; empty for none.
    public var payload: [UInt8] { row.payload }
    /// The state.
    public var state: SendState { row.state }
    /// The reason for the state: a sentence part, lower case, without a full stop. Nil if there is nothing to say.
    public var reason: String? { row.reason }
    /// The tries so far.
    public var tries: Int { row.tries }
    /// When the next try may begin, as far as its pause and that of its target say; nil for at once, and for one that is done or held.
    public var next: Timestamp? { [row.next, row.notBefore, rest].compactMap(\.self).max() }
    /// The id that readers see of what it makes until the origin has given one.
    public var temporaryID: String { row.temporaryID }
    /// The status of the origin's last answer; nil without one.
    public var status: Int? { row.status }
    /// The words of a refusal, with secrets masked; nil without any.
    public var detail: String? { row.detail }
    /// The body of the answer to one that is sent; empty without one.
    public var answer: [UInt8] { row.answer }
    /// The id that the origin gave to what was made, as text; nil if it gave none.
    public var madeID: String? {
        row.madeID.flatMap { text in JSONScalar(Array(text.utf8), at: 0..<text.utf8.count)?.text }
    }
}

/// A send was taken in, or has another state.
///
/// It comes as ``PipelineEvent/change(_:source:pipeline:)``, with the outbox as the source and the name of the send's kind in the place of a
/// pipeline's. It has the payload: an observer that prints or keeps it prints or keeps what is sent.
public struct SendEvent: ChangeSourceEvent {
    /// The send as it is now.
    public let status: SendStatus

    init(_ status: SendStatus) { self.status = status }
}

/// A send that was taken in.
public struct SentSend: Sendable {
    /// The send as it was when it was taken in, or as one of the same id was known.
    public let first: SendStatus
    /// Indicates whether a send of this id was known already: nothing was taken in.
    public let wasKnown: Bool
    let outbox: Outbox

    /// The id.
    public var id: String { first.id }

    /// The states of the send from now on, the present one first. Ends with the last one, and when everything is shut down.
    public var statuses: AsyncStream<SendStatus> { outbox.statuses(of: first) }

    /// The send once it is sent.
    ///
    /// Throws ``SendError/failed(_:)`` or ``SendError/held(_:)`` if it comes to that, ``SendError/notYet`` after `limit`, and
    /// `CancellationError` when the task is cancelled; the send goes on.
    public func answer(within limit: Duration) async throws -> SendStatus {
        try await outbox.outcome(of: first, until: outbox.clock.now + limit)
    }
}

extension Outbox {
    /// The states of a send from now on, the present one first.
    func statuses(of first: SendStatus) -> AsyncStream<SendStatus> {
        let watch = SendWatch(of: first, in: self)
        return AsyncStream { await watch.next() }
    }

    /// The send once it is sent; throws what it comes to otherwise.
    func outcome(of first: SendStatus, until end: Timestamp) async throws -> SendStatus {
        try await clock.race(until: end, late: { throw SendError.notYet }) {
            for await status in self.statuses(of: first) {
                switch status.state {
                case .sent: return status
                case .held: throw SendError.held(status.reason ?? "")
                case .failed, .dropped, .merged: throw SendError.failed(status.reason ?? status.state.rawValue)
                case .waiting, .sending: break
                }
            }
            try Task.checkCancellation()
            throw SendError.notYet
        }
    }
}
