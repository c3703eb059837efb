import Pipeline

/// Something that a scripted source waits for before it answers.
struct StubPause: Sendable {
    enum End: Sendable {
        case opening(Gate)
        case passing(Duration)
    }

    let end: End
    var ignoresCancellation = false

    /// Waits; throws `CancellationError` when the task is cancelled, unless that is ignored.
    ///
    /// - Parameter begin: when the delay began; nil for now.
    func pass(on clock: PipelineClock, since begin: Timestamp? = nil) async throws {
        guard ignoresCancellation else { return try await wait(on: clock, since: begin) }
        // A task of its own is not cancelled with the caller. It ends when its gate opens or its time has passed.
        try await Task { try await wait(on: clock, since: begin) }.value
    }

    private func wait(on clock: PipelineClock, since begin: Timestamp?) async throws {
        switch end {
        case .opening(let gate): try await gate.wait()
        case .passing(let duration):
            let passed = begin.map { clock.now.duration(since: $0) } ?? .zero
            try await clock.sleep(for: max(.zero, duration - passed))
        }
    }
}
