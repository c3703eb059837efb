import Foundation
import Synchronization

/// The origin of one case: it answers as the case says, and notes what it was asked.
final class SuiteOrigin: Sendable {
    /// A request that came.
    struct Asked: Sendable {
        /// The number of the client's request that it was for.
        let number: Int
        let request: RecordedRequest
    }

    private struct State {
        var asked: [Asked] = []
        /// The number of the client's request that is being played.
        var current = 1
        /// The last answer without a body, in which nothing can be wrapped.
        var bare: WrappedAnswer?
        /// The fields of the answers, by the number of the client's request.
        var sent: [Int: [(String, String)]] = [:]
    }

    private let played: SuiteCase
    /// Seconds since 1970.
    private let now: @Sendable () -> Double
    private let pause: @Sendable (Int) -> Void
    private let state = Mutex(State())

    /// - Parameter pause: lets so many seconds pass, in which the origin thinks.
    init(_ played: SuiteCase, now: @escaping @Sendable () -> Double, pause: @escaping @Sendable (Int) -> Void) {
        self.played = played
        self.now = now
        self.pause = pause
    }

    var asked: [Asked] { state.withLock(\.asked) }
    var bare: WrappedAnswer? { state.withLock(\.bare) }

    /// From now on requests are for the client's request of this number.
    func expect(_ number: Int) {
        state.withLock { $0.current = number }
    }

    /// The answer to `request`.
    func answer(_ request: RecordedRequest) -> [ScriptedServer.Step] {
        let (number, count, all) = state.withLock { state in
            state.asked.append(Asked(number: state.current, request: request))
            return (state.current, state.asked.count, state.asked.map { "\($0.number)" }.joined(separator: " "))
        }
        let script = played.requests[number - 1]
        if let seconds = script.responsePause { pause(seconds) }
        if script.disconnects == true { return [.close] }
        let status = status(of: number, request)
        var sent = fields(of: script)
        state.withLock { [sent] in $0.sent[number] = sent }
        let own = [("Server-Request-Count", "\(count)"), ("Client-Request-Count", "\(number)"), ("Request-Numbers", all)]
        let wrapped = WrappedAnswer(
            status: status.code,
            fields: (sent + own + [("Server-Now", "\(Int(now() * 1000))")]).map { .init(name: $0.0, value: $0.1) },
            body: script.responseBody ?? Self.body(of: played.id))
        guard status.code != 204, status.code != 304 else {
            state.withLock { if status.code == 204 { $0.bare = wrapped } }
            return [.bytes(Self.head(status, sent))]
        }
        let body = wrapped.bytes
        sent.removeAll { $0.0.lowercased() == "content-length" }
        sent.append(("Content-Length", "\(body.count)"))
        return [.bytes(Self.head(status, sent) + body)]
    }

    /// 304 for a condition that a case waits for, and a status that no cache takes for a value where that is missing.
    private func status(of number: Int, _ request: RecordedRequest) -> SuiteStatus {
        let script = played.requests[number - 1]
        guard script.expectedType == .confirmedByTag || script.expectedType == .confirmedByDate else {
            return script.responseStatus ?? SuiteStatus(200, "OK")
        }
        let former = number > 1 ? state.withLock { $0.sent[number - 1] } ?? fields(of: played.requests[number - 2]) : []
        func holds(_ condition: String, _ name: String) -> Bool {
            guard let value = former.last(where: { $0.0.lowercased() == name })?.1 else { return false }
            return request[condition] == value
        }
        let isKnown = holds("If-None-Match", "etag") || holds("If-Modified-Since", "last-modified")
        return isKnown ? SuiteStatus(304, "Not Modified") : SuiteStatus(599, "304 Not Generated")
    }

    /// The body of an answer for which the case has none: of as many bytes as the suite's own.
    static func body(of id: String) -> String {
        String((id + String(repeating: "-", count: 36)).prefix(36))
    }

    private func fields(of script: SuiteRequest) -> [(String, String)] {
        var fields = (script.responseHeaders ?? []).map { ($0.name, script.written($0, at: now())) }
        if !fields.contains(where: { $0.0.lowercased() == "content-type" }) { fields.append(("Content-Type", "text/plain")) }
        if !fields.contains(where: { $0.0.lowercased() == "date" }) {
            fields.append(("Date", SuiteField.Value.secondsFromNow(0).written(at: now())))
        }
        return fields
    }

    /// Each scalar of a field is a byte, as in the suite's own server.
    private static func head(_ status: SuiteStatus, _ fields: [(String, String)]) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status.code) \(status.phrase)"] + fields.map { "\($0.0): \($0.1)" } + ["", ""]
        return lines.joined(separator: "\r\n").unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}
