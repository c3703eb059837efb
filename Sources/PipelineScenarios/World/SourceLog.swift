internal import PipelineConfig
private import Synchronization

/// The number of times a source of a test was used.
struct SourceCounts: Sendable, Hashable {
    /// The number of times an origin was asked, or a cache was looked into.
    var reads = 0
    var writes = 0
    var cancelled = 0
}

/// A call of an origin that has no answer left.
struct UnansweredCall: Sendable {
    let source: String
    /// The number of the call, from 1.
    let number: Int
    /// The number of answers there were.
    let answers: Int
    /// The place where they are written.
    let range: TextRange
    /// The arguments, where there are answers only for others.
    var arguments: String?
    /// The time since the beginning, in nanoseconds.
    let time: Int64
}

/// A send as it came to an origin.
package struct SentRequest: Sendable, Hashable {
    let source: String
    let id: String
    /// The name of its kind.
    let send: String
    let payload: [UInt8]
    /// Indicates whether the origin may make the change, by the answer that it has for it.
    let mayBeMade: Bool
}

/// A source that is asked and has not answered.
struct OpenCall: Sendable, Hashable {
    let source: String
    let key: String
    /// The time since the beginning, in nanoseconds.
    let began: Int64
    let hangs: Bool
}

/// The notes of the sources of a test, for its expectations and for what a failure says.
final class SourceLog: Sendable {
    private struct State {
        var counts: [String: SourceCounts] = [:]
        var unanswered: UnansweredCall?
        var requests: [String: [SentRequest]] = [:]
        var open: [Int: OpenCall] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    func counts(of source: String) -> SourceCounts { state.withLock { $0.counts[source] ?? SourceCounts() } }

    /// The first call without an answer.
    var unanswered: UnansweredCall? { state.withLock(\.unanswered) }

    /// The calls that have not ended, in the order in which they began.
    var open: [OpenCall] { state.withLock { $0.open.sorted { $0.key < $1.key }.map(\.value) } }

    func noteRead(of source: String) { state.withLock { $0.counts[source, default: SourceCounts()].reads += 1 } }

    func noteWrite(to source: String) { state.withLock { $0.counts[source, default: SourceCounts()].writes += 1 } }

    func noteCancellation(of source: String) { state.withLock { $0.counts[source, default: SourceCounts()].cancelled += 1 } }

    func note(_ request: SentRequest) { state.withLock { $0.requests[request.source, default: []].append(request) } }

    /// The sends that came to `source`, in order.
    func requests(to source: String) -> [SentRequest] { state.withLock { $0.requests[source] ?? [] } }

    func note(_ call: UnansweredCall) { state.withLock { $0.unanswered = $0.unanswered ?? call } }

    /// Notes a call that waits; gives what ``end(_:)`` takes.
    func begin(_ call: OpenCall) -> Int {
        state.withLock { state in
            state.last += 1
            state.open[state.last] = call
            return state.last
        }
    }

    func end(_ number: Int) { state.withLock { $0.open[number] = nil } }

    /// Forgets the open calls of a process that has been killed.
    func forgetOpenCalls() { state.withLock { $0.open = [:] } }
}
