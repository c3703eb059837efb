internal import Pipeline
internal import PipelineConfig
import PipelineSending
private import Synchronization

/// The answers of an origin of a test, and the count of its calls.
final class OriginScript: Sendable {
    private struct State {
        var content: SourceScript.Content?
        /// The number of answers of the script that were given, by the arguments of their list; "" for a list for all keys.
        var given: [String: Int] = [:]
    }

    let name: String
    let ownLimit: Duration?
    let log: SourceLog
    /// The bytes of the files that answers name.
    let fixtures: [String: [UInt8]]
    private let state = Mutex(State())

    init(_ name: String, ownLimit: Duration?, log: SourceLog, fixtures: [String: [UInt8]]) {
        (self.name, self.ownLimit, self.log, self.fixtures) = (name, ownLimit, log, fixtures)
    }

    func set(_ content: SourceScript.Content) { state.withLock { $0 = State(content: content) } }

    /// The answer to the next call for `key`; nil, and noted, where there is none.
    func next(for key: Key, at elapsed: Int64) -> OriginAnswer? {
        let (answer, unanswered) = state.withLock { state -> (OriginAnswer?, UnansweredCall?) in
            let (list, name) = Self.list(for: key, in: state.content)
            guard let list else { return (nil, Self.uncalled(key, self.name, state.content, at: elapsed)) }
            let number = state.given[name, default: 0]
            state.given[name] = number + 1
            if let answer = list.answer(to: number) { return (answer, nil) }
            return (
                nil,
                UnansweredCall(source: self.name, number: number + 1, answers: list.answers.count, range: list.range, time: elapsed)
            )
        }
        if let unanswered { log.note(unanswered) }
        return answer
    }

    /// The call for arguments that no answer is for; nil if answers are not by arguments.
    private static func uncalled(_ key: Key, _ source: String, _ content: SourceScript.Content?, at elapsed: Int64) -> UnansweredCall? {
        guard case .answersByArguments(let lists) = content, let first = lists.first else { return nil }
        return UnansweredCall(
            source: source, number: 1, answers: 0, range: first.arguments.range, arguments: String(key.text.dropPipeline), time: elapsed)
    }

    private static func list(for key: Key, in content: SourceScript.Content?) -> (AnswerList?, String) {
        switch content {
        case .answers(let list): return (list, "")
        case .answersByArguments(let lists):
            let found = lists.first { arguments, _ in
                ArgumentText(arguments.value).arguments.allSatisfy { key[$0.name] == $0.value }
            }
            return (found?.answers, found?.arguments.value ?? "")
        case .cache, nil: return (nil, "")
        }
    }
}

/// A scripted origin as one process sees it.
struct ScriptedOrigin: Source {
    let script: OriginScript
    let access: ScriptedAccess
    let events: EventCollector
    /// The rules by which the source of the file reads several keys at once; nil if it does not.
    let declared: Batching?
    /// The way in which the source of the file takes sends; nil if it takes none.
    let sending: SendTarget?

    /// Several keys as one call, as the source of the file asks for them.
    var batching: Batching? {
        declared.map { declared in
            Batching(of: declared.parameter, most: declared.most, window: declared.window) { keys, context in
                try await read(keys, context)
            }
        }
    }

    /// One call: it takes as long as the slowest of its answers.
    private func read(_ keys: [Key], _ context: ReadContext) async throws -> BatchAnswer {
        try access.check()
        let began = access.clock.now
        script.log.noteRead(of: script.name)
        let answers = keys.map { script.next(for: $0, at: access.elapsed) }
        let hangs = answers.contains { $0?.hangs == true }
        if let first = keys.first {
            try await access.pass(
                answers.compactMap { $0?.takes }.max() ?? .zero, hangs: hangs, for: first, of: script.name, limit: script.ownLimit,
                script.log)
        }
        return BatchAnswer(
            answers.map { answer in
                Result {
                    guard let answer else { throw SourceError("no answer is left in the test") }
                    return try entry(of: answer, began: began, confirming: nil)
                }
            })
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        try access.check()
        let began = access.clock.now
        script.log.noteRead(of: script.name)
        guard let answer = script.next(for: key, at: access.elapsed) else { throw SourceError("no answer is left in the test") }
        try await access.pass(
            answer.takes, hangs: answer.hangs, for: key, of: script.name, limit: script.ownLimit, script.log)
        return try entry(of: answer, began: began, confirming: context.known)
    }

    private func entry(of answer: OriginAnswer, began: Timestamp, confirming known: Entry?) throws -> Entry? {
        switch answer.content {
        case .payload, .file: return entry(try payload(of: answer), answer, began: began, confirming: known)
        case .error(let reason): throw Self.error(reason)
        case .notFound: return .notFound(created: began)
        case .invalid: throw Self.unusable
        case .hangs: return nil
        }
    }

    private static let unusable = SourceError("the answer cannot be used", kind: .invalid)

    /// The payload of an answer that has one.
    private func payload(of answer: OriginAnswer) throws -> [UInt8] {
        if answer.isLost { throw SourceError("the answer was lost") }
        switch answer.content {
        case .payload(let payload): return payload
        case .file(let path):
            guard let payload = script.fixtures[path.value] else { throw SourceError("the file `\(path.value)` cannot be read") }
            return payload
        case .error, .notFound, .invalid, .hangs: return []
        }
    }

    private func entry(_ payload: [UInt8], _ answer: OriginAnswer, began: Timestamp, confirming known: Entry?) -> Entry {
        let limit = answer.freshFor.map { began + $0 }
        if var known, let etag = answer.etag, known.etag == etag, !known.isNotFound {
            known.created = began
            known.stored = nil
            known.freshUntil = limit
            return known
        }
        return Entry(payload, created: began, freshUntil: limit, etag: answer.etag)
    }

    /// The failure with this reason. A status of 400 to 499, except 408 and 429, rejects the request, as the source `http` has it.
    private static func error(_ reason: String) -> SourceError {
        guard let status = OriginAnswer.status(in: reason), 400...499 ~= status, status != 408, status != 429 else {
            return SourceError(reason)
        }
        return SourceError(reason, kind: .rejected)
    }
}

extension ScriptedOrigin: SendingSource {
    /// The time for one try of a source without a time limit, as the source `http` has it.
    private static let usualLimit = Duration.seconds(30)
    /// The statuses from 500 on of an origin that has made no change.
    private static let notMade: Set<Int> = [501, 503, 505, 511]

    var repetition: SendRepetition { sending?.repetition ?? .never }
    var longestTry: Duration { script.ownLimit ?? Self.usualLimit }

    func send(_ send: OutgoingSend, _ context: ReadContext) async throws -> SendAnswer {
        try access.check()
        script.log.noteRead(of: script.name)
        let answer = script.next(for: send.key, at: access.elapsed)
        let request = SentRequest(
            source: script.name, id: send.id, send: send.key.pipeline, payload: send.payload, mayBeMade: answer.map(mayMake) ?? false)
        script.log.note(request)
        events.add(.request(request))
        guard let answer else { throw SourceError("no answer is left in the test") }
        try await access.pass(answer.takes, hangs: answer.hangs, for: send.key, of: script.name, limit: longestTry, script.log)
        return try sendAnswer(of: answer)
    }

    private func sendAnswer(of answer: OriginAnswer) throws -> SendAnswer {
        switch answer.content {
        case .payload, .file: return SendAnswer(status: 200, body: try payload(of: answer), etag: answer.etag)
        case .notFound: return SendAnswer(status: 404, isAccepted: isAccepted(404))
        case .invalid: throw Self.unusable
        case .hangs: throw CancellationError()
        case .error(OriginAnswer.reset): throw SourceError("the connection was reset")
        case .error(let reason):
            let rest = answer.retryAfter.map { access.clock.now + $0 }
            if let status = OriginAnswer.status(in: reason) {
                return SendAnswer(status: status, isAccepted: isAccepted(status), notBefore: rest)
            }
            var error = SourceError(reason)
            error.isUnreached = true
            throw error
        }
    }

    /// Indicates whether a status says that the origin has made the change, as the source `http` has it.
    private func isAccepted(_ status: Int) -> Bool {
        200...299 ~= status || status == 303 || (status == 404 || status == 410) && sending?.method == "DELETE"
    }

    /// Indicates whether an origin with this answer may make the change.
    private func mayMake(_ answer: OriginAnswer) -> Bool {
        switch answer.content {
        case .payload, .file, .invalid, .hangs: true
        case .notFound: isAccepted(404)
        case .error(let reason):
            OriginAnswer.status(in: reason).map { isAccepted($0) || $0 >= 500 && !Self.notMade.contains($0) }
                ?? (reason == OriginAnswer.reset)
        }
    }
}
