/// The contents of one cache of a pipeline, judged by its tier's policy.
package struct TierContents: Sendable {
    /// The answer of the cache.
    package enum Answer: Sendable {
        /// The copies, sorted by name; `hasMore` when there are others that were not asked for.
        case copies([Copy], hasMore: Bool)
        /// The cache cannot tell which keys it holds.
        case unknown
        /// The cache could not be asked, for this reason.
        case failed(String)
    }

    /// One copy.
    package struct Copy: Sendable {
        /// The copy as the cache lists it.
        package let listed: CacheContents.Copy
        /// The time since the origin's load began; negative for a copy from the future.
        package let age: Duration
        /// The time for which it is still fresh in this tier: nil without a limit, zero or negative once it has expired.
        package let freshFor: Duration?
    }

    /// The name of the source.
    package let source: String
    /// Indicates whether its copies end with the process.
    package let isInProcess: Bool
    /// The answer of the cache.
    package let answer: Answer
    /// The number of files among its copies that no cache wrote or read.
    package var foreign = 0
}

extension Tier {
    /// What this cache holds of `pipeline`, in the time that the tier has to answer.
    package func contents(of pipeline: String, limit: Int) async -> TierContents {
        let late = SourceError("did not list its keys within \(policy.timeLimit.rounded)", kind: .timeout)
        func contents(_ answer: TierContents.Answer, foreign: Int = 0) -> TierContents {
            TierContents(source: name, isInProcess: isImmediate, answer: answer, foreign: foreign)
        }
        do {
            let listed = try await clock.race(until: clock.now + policy.timeLimit, late: { throw late }) {
                try await queue?.source.contents(of: pipeline, limit: limit)
            }
            guard let listed else { return contents(.unknown) }
            let now = clock.now
            return contents(.copies(listed.copies.map { copy($0, at: now) }, hasMore: listed.hasMore), foreign: listed.foreign)
        } catch {
            return contents(.failed(redactor.redacted("\(error)")))
        }
    }

    private func copy(_ listed: CacheContents.Copy, at now: Timestamp) -> TierContents.Copy {
        TierContents.Copy(
            listed: listed, age: now.duration(since: listed.entry.created),
            freshFor: rules.freshness.limit(of: listed.entry)?.duration(since: now))
    }
}
