internal import Pipeline
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
    /// The rules by which the source of the file reads several keys at once; nil if it does not.
    var declared: Batching?

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
        let hangs = answers.contains { if case .hangs? = $0?.content { true } else { false } }
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
        var hangs = false
        if case .hangs = answer.content { hangs = true }
        try await access.pass(
            answer.takes, hangs: hangs, for: key, of: script.name, limit: script.ownLimit, script.log)
        return try entry(of: answer, began: began, confirming: context.known)
    }

    private func entry(of answer: OriginAnswer, began: Timestamp, confirming known: Entry?) throws -> Entry? {
        switch answer.content {
        case .payload(let payload): return entry(payload, answer, began: began, confirming: known)
        case .file(let path):
            guard let payload = script.fixtures[path.value] else { throw SourceError("the file `\(path.value)` cannot be read") }
            return entry(payload, answer, began: began, confirming: known)
        case .error(let reason): throw Self.error(reason)
        case .notFound: return .notFound(created: began)
        case .invalid: throw SourceError("the answer cannot be used", kind: .invalid)
        case .hangs: return nil
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
        let words = reason.split(separator: " ")
        guard words.first == "status", words.count > 1, let status = Int(words[1]), 400...499 ~= status, status != 408, status != 429 else {
            return SourceError(reason)
        }
        return SourceError(reason, kind: .rejected)
    }
}
