/// How long after its expiry a copy may still be served: `stale_while_revalidate` and `stale_if_error`. A remembered `not_found` never is.
package struct StaleWindows: Sendable {
    /// While the copy is refreshed in the background; nil for never.
    let whileRevalidate: Duration?
    /// When the load fails, or takes longer than a soft timeout; nil for never.
    let ifError: Duration?

    init(_ policy: PipelinePolicy) {
        whileRevalidate = policy.staleWhileRevalidate
        ifError = policy.staleIfError
    }

    /// How long origins are not asked again for a key after a failed load, for which a stale copy was served.
    package static let pause = Duration.seconds(1)

    func allowWhileRevalidating(isNotFound: Bool, expiredSince moment: Timestamp, at now: Timestamp) -> Bool {
        !isNotFound && Self.allow(expiredSince: moment, within: whileRevalidate, at: now)
    }

    func allowAfterError(_ copy: ExpiredCopy, at now: Timestamp) -> Bool {
        !copy.entry.isNotFound && Self.allow(expiredSince: copy.since, within: ifError, at: now)
    }

    private static func allow(expiredSince moment: Timestamp, within window: Duration?, at now: Timestamp) -> Bool {
        window.map { now.duration(since: moment) < $0 } ?? false
    }
}
