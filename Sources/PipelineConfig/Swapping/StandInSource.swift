internal import Pipeline

/// What takes the place of a source for a run: it answers in one way, whatever the key, and keeps nothing.
struct StandInSource: WritableSource {
    /// How it answers.
    enum Answer: Sendable {
        /// As this source does.
        case source(any Source)
        /// With this failure.
        case failure(SourceError)
        /// There is no value.
        case notFound
        /// Not at all.
        case hangs
    }

    let answer: Answer
    /// Whether it stands for a cache, which is not sure that there is no value.
    let isCache: Bool
    let clock: PipelineClock

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        try await fail()
        guard case .source(let source) = answer else { return isCache ? nil : .notFound(created: clock.now) }
        return try await source.read(key, ReadContext(deadline: context.deadline))
    }

    func write(_ entry: Entry, for key: Key) async throws {
        try await fail()
        throw SourceError("swapped for this run", kind: .notKept)
    }

    func remove(_ key: Key) async throws { try await fail() }

    func clear(pipeline: String) async throws { try await fail() }

    func contents(of pipeline: String, limit: Int) async throws -> CacheContents? {
        try await fail()
        return nil
    }

    /// Throws, or hangs, where that is the answer.
    private func fail() async throws {
        switch answer {
        case .failure(let error): throw error
        // Until the task is cancelled.
        case .hangs: try await Race<Void>().value()
        case .source, .notFound: break
        }
    }
}
