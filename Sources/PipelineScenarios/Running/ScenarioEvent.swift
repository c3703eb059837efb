import Pipeline
package import PipelineConfig
package import PipelineLive
package import PipelineSending

/// Something that happened in a run. Texts are masked.
package struct ScenarioEvent: Sendable, Hashable {
    /// The kind of an event.
    package enum Kind: String, Sendable, Hashable {
        case fetch, start, finish, cancel, put, remove, clear, set, refresh, write, evict, kill, restart, flush, wall, message, disconnect,
            reconnect, feed, send, retry, drop, expect, request, sending
    }

    /// The attempt of one source in it.
    package struct Part: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            case attempt, write
        }

        package let kind: Kind
        package let source: String
        /// The word of traces: `hit`, `scheduled`.
        package let outcome: String
        package var reason: String?
        /// The number of times the source was tried; 0 for a write.
        package let tries: Int
        /// Indicates whether the source rejected the request, which proves that it works.
        var isRejected = false
        /// The moment when the attempt ended, since the beginning; nil for a write, and for an attempt of a load that an earlier fetch
        /// began.
        var time: Duration?
    }

    /// An event at a feed.
    package enum Feed: Sendable, Hashable {
        /// A message came through it.
        case message(source: String, [MessageFate])
        /// The feed entered a state.
        case state(source: String, FeedStatus.State)
    }

    /// An event of a send.
    package enum Sending: Sendable, Hashable {
        /// A step sent it: as it was taken in, nil if it was known before; and its state at the end of the step.
        case step(taken: SendMark?, end: SendState)
        /// It came to an origin.
        case request(SentRequest)
        /// It entered a state.
        case state(SendMark)
    }

    /// A send at one moment.
    package struct SendMark: Sendable, Hashable {
        package let id: String
        /// The name of its kind.
        package let send: String
        /// The order among the sends of its outbox.
        let number: Int64
        package let state: SendState
        let reason: String?
        let tries: Int
    }

    package let kind: Kind
    /// The time since the beginning.
    package let time: Duration
    /// The step during which it happened, from 1.
    package let step: Int
    /// The text of the key; empty where it concerns all.
    package var key: String
    package var parts: [Part] = []
    /// A further note, for people.
    package var note: String?
    /// The line of the configuration that decided it, and what stands there, as `stale_if_error: 1d`; nil if no line did.
    package var place: TextRange?
    package var placeWords: String?
    /// The time the fetch or the send took; of many fetches that did the same, the longest. Zero for another event.
    package var took = Duration.zero
    /// Indicates whether it concerns a pipeline that the tested one is made from.
    var isOfPart = false
    package var feed: Feed?
    package var sending: Sending?
    /// The kind of the fetch's failure; nil for one that did not fail.
    var failure: LoadError.Kind?
    /// The value that the fetch gave, as it came; nil without one.
    var payload: [UInt8]?
    /// The sends that are laid over it, and the value without them; nil without a value.
    var sends: [LaidSend] = []
    var base: [UInt8]?
}

extension ScenarioEvent.Sending {
    /// The send as it is then; nil for one that came to an origin, or was known.
    var mark: ScenarioEvent.SendMark? {
        switch self {
        case .step(let taken, _): taken
        case .state(let mark): mark
        case .request: nil
        }
    }
}

extension ScenarioEvent.SendMark {
    init(_ status: SendStatus) {
        self.init(
            id: status.id, send: status.send, number: status.number, state: status.state, reason: status.reason, tries: status.tries)
    }

    /// `add_friend first waiting (status 503)`.
    var text: String { "\(send) \(id) \(state.rawValue)" + (reason.map { " (\($0))" } ?? "") }
}

extension ScenarioEvent.Part {
    init(_ attempt: Attempt) {
        self.init(
            kind: .attempt, source: attempt.source, outcome: attempt.outcome.rawValue, reason: attempt.reason, tries: attempt.tries,
            isRejected: (attempt.error as? SourceError)?.kind == .rejected)
    }

    /// - Parameter time: when it ended, since the beginning, in nanoseconds.
    init(_ attempt: Attempt, at time: Int64) {
        self.init(attempt)
        self.time = .nanoseconds(time)
    }

    init(_ record: WriteRecord) {
        self.init(kind: .write, source: record.source, outcome: record.outcome.rawValue, reason: record.reason, tries: 0)
    }

    /// `disk stale (expired 1m ago)`.
    package var text: String {
        let more = reason.flatMap { $0 == outcome || $0.isEmpty ? nil : " (\($0))" } ?? ""
        return "\(source) \(outcome)\(more)\(tries > 1 && reason?.contains("tried") != true ? " (\(tries) tries)" : "")"
    }
}

extension ScenarioEvent {
    /// The event without its time and its place: `fetch  memory miss, api hit`.
    package var text: String {
        let all = parts.map(\.text) + [note].compactMap(\.self)
        // What only a source did is named by the source.
        if kind.isTold && kind != .refresh { return all.joined(separator: ", ") }
        if isOfPart { return "part `\(key)`  \(all.joined(separator: ", "))" }
        let name = key.isEmpty || !key.utf8.contains(UInt8(ascii: ",")) ? kind.rawValue : "\(kind.rawValue) \(key.dropPipeline)"
        return all.isEmpty ? name : "\(name)  \(all.joined(separator: ", "))"
    }
}

extension String {
    /// The arguments of the text of a key.
    var dropPipeline: Substring { utf8.firstIndex(of: UInt8(ascii: ",")).map { self[index(after: $0)...] } ?? self[...] }
}
