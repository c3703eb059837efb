public import Pipeline

/// An answer of a scripted source to one read: `"[1]"`, `.miss`, `.error()`, `.value("[1]", etag: "\"a\"").after(.seconds(2))`.
public struct StubAnswer: Sendable {
    enum Outcome: Sendable {
        case value(@Sendable (_ began: Timestamp) -> Entry)
        case entry(Entry)
        case notFound
        case miss
        case error((any Error)?)
        case contents
    }

    let outcome: Outcome
    private(set) var pauses: [StubPause] = []

    /// A value with the UTF-8 bytes of `text`, created when the read began.
    ///
    /// - Parameter freshFor: counted from when the read began; nil without a limit.
    public static func value(
        _ text: String, freshFor: Duration? = nil, etag: String? = nil, lastModified: String? = nil,
        contentType: String? = nil, version: String? = nil
    ) -> StubAnswer {
        .bytes(
            Array(text.utf8), freshFor: freshFor, etag: etag, lastModified: lastModified, contentType: contentType,
            version: version)
    }

    /// A value with `payload`, created when the read began.
    public static func bytes(
        _ payload: [UInt8], freshFor: Duration? = nil, etag: String? = nil, lastModified: String? = nil,
        contentType: String? = nil, version: String? = nil
    ) -> StubAnswer {
        StubAnswer(
            outcome: .value { began in
                Entry(
                    payload, created: began, freshUntil: freshFor.map { began + $0 }, etag: etag, lastModified: lastModified,
                    contentType: contentType, version: version)
            })
    }

    /// The answer `entry`, times included.
    public static func entry(_ entry: Entry) -> StubAnswer { StubAnswer(outcome: .entry(entry)) }

    /// No value here: the next tier is asked.
    public static let miss = StubAnswer(outcome: .miss)

    /// An origin's certainty that there is no value.
    public static let notFound = StubAnswer(outcome: .notFound)

    /// The copy that the source holds, as without a script; an origin holds nothing and misses.
    public static let contents = StubAnswer(outcome: .contents)

    /// A failure: `error`, or else a `SourceError` that names the source.
    public static func error(_ error: (any Error)? = nil) -> StubAnswer { StubAnswer(outcome: .error(error)) }

    /// No answer until the reading task is cancelled; then `CancellationError`.
    public static var hanging: StubAnswer { .miss.after(Gate()) }

    /// This answer, once `gate` is open. A task that is cancelled meanwhile gets `CancellationError`.
    public func after(_ gate: Gate) -> StubAnswer { pausing(StubPause(end: .opening(gate))) }

    /// This answer, `duration` later on the source's clock. A task that is cancelled meanwhile gets `CancellationError`.
    public func after(_ duration: Duration) -> StubAnswer { pausing(StubPause(end: .passing(duration))) }

    /// This answer from a source that does not notice cancellation: it comes when its time has come, wanted or not.
    public func ignoringCancellation() -> StubAnswer {
        var answer = self
        for index in answer.pauses.indices { answer.pauses[index].ignoresCancellation = true }
        return answer
    }

    private func pausing(_ pause: StubPause) -> StubAnswer {
        var answer = self
        answer.pauses.append(pause)
        return answer
    }
}

extension StubAnswer: ExpressibleByStringLiteral {
    /// A value with the UTF-8 bytes of the literal.
    public init(stringLiteral text: String) {
        self = .value(text)
    }
}

/// Something that a scripted source waits for before it answers.
struct StubPause: Sendable {
    enum End: Sendable {
        case opening(Gate)
        case passing(Duration)
    }

    let end: End
    var ignoresCancellation = false

    /// Waits; throws `CancellationError` when the task is cancelled, unless that is ignored. Returns when the pause was over.
    ///
    /// - Parameter begin: when it began. A test that saw the call begin may have moved time on since, or does so while this runs: the end is a
    ///   moment, not a duration from now.
    func pass(on clock: PipelineClock, since begin: Timestamp) async throws -> Timestamp {
        guard ignoresCancellation else { return try await wait(on: clock, since: begin) }
        // A task of its own is not cancelled with the caller. It ends when its gate opens or its time has passed.
        return try await Task { try await wait(on: clock, since: begin) }.value
    }

    private func wait(on clock: PipelineClock, since begin: Timestamp) async throws -> Timestamp {
        switch end {
        case .opening(let gate):
            try await gate.wait()
            return clock.now
        case .passing(let duration):
            let end = begin + duration
            try Task.checkCancellation()
            if clock.now < end { try await clock.sleep(until: end) }
            return end
        }
    }
}
