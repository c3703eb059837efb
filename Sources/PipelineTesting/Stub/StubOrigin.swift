public import Pipeline

/// An origin for tests: it says what its script says, and misses without one.
///
/// ```swift
/// let api = StubOrigin("api", clock: time.clock, answering: "[1]")
/// api.answersOnce(.error())
/// …
/// await api.reads(atLeast: 2)
/// ```
public final class StubOrigin: ScriptedSource {
    /// The script of the origin, and the calls it has received.
    public let script: SourceScript

    /// An origin that gives `answer` to every read until told otherwise. `name` stands in the errors it throws by itself.
    public init(_ name: String = "the stub", clock: PipelineClock, answering answer: StubAnswer = .miss) {
        script = SourceScript(name: name, clock: clock, answer: answer)
    }

    /// The number of revalidations that confirmed the entry that the caller had.
    public var notModifiedCount: Int { script.withState { $0.notModified } }

    /// Gives the answer of the script.
    ///
    /// The copy to confirm is confirmed when the answer is a value with the same etag, or, where one of them has none, with the same
    /// last-modified: then its payload comes back with the answer's times.
    public func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        let known = context.known
        return try await script.perform(known.map { .revalidate(key, known: $0) } ?? .read(key)) { began, ready in
            guard let answer = try await script.answer(to: key, began: began, ready: ready, contents: { nil }) else { return nil }
            guard let known, !answer.isNotFound, !known.isNotFound, Self.isSame(known, answer) else { return answer }
            script.noteNotModified()
            var confirmed = known
            confirmed.created = answer.created
            confirmed.stored = nil
            confirmed.freshUntil = answer.freshUntil
            return confirmed
        }
    }

    private static func isSame(_ known: Entry, _ answer: Entry) -> Bool {
        if let left = known.etag, let right = answer.etag { return left == right }
        if let left = known.lastModified, let right = answer.lastModified { return left == right }
        return false
    }
}
